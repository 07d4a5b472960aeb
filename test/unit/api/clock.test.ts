import { HOUR_MS, systemClock } from '../../../api/clock';

test('a wait ends with the reason of its signal, also if that aborted before', async () => {
  const [stop, reason] = [new AbortController(), new Error('stopped')];
  const waiting = systemClock.sleep(HOUR_MS, stop.signal);
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(systemClock.sleep(HOUR_MS, stop.signal)).rejects.toBe(reason);
});
