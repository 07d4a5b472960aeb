import { pollToTheEnd } from '../../../../../api/upload/engine/direct-steps';
import { failureOf } from '../failure-of';
import { scriptedService } from '../scripted-service';

const HOUR_MS = 3_600_000;
const STARTED_AT = 1_000_000;
const POLL = { uploadId: 'u-1', completedAt: STARTED_AT, limitMs: 24 * HOUR_MS };

test('polling survives a service that is down for hours, as long as processing may take', async () => {
  const elapsedMs = (): number => service.clock.now() - STARTED_AT;
  const { service } = scriptedService(() =>
    elapsedMs() < 5 * HOUR_MS
      ? { status: 503 }
      : { status: 200, body: { uploadId: 'u-1', status: 'COMPLETED' } },
  );
  expect(await pollToTheEnd(service.once, POLL)).toMatchObject({ status: 'COMPLETED' });
  expect(elapsedMs()).toBeGreaterThan(5 * HOUR_MS);
});

test('polling ends when processing takes longer than allowed', async () => {
  const { service } = scriptedService(() => ({ status: 503 }));
  await failureOf(pollToTheEnd(service.once, { ...POLL, limitMs: HOUR_MS }));
  const elapsedMs = service.clock.now() - STARTED_AT;
  expect(elapsedMs).toBeGreaterThan(0.9 * HOUR_MS);
  expect(elapsedMs).toBeLessThan(1.1 * HOUR_MS);
});
