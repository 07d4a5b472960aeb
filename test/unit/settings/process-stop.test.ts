import { expect, test } from '@jest/globals';
import { listenForStop } from '../../../settings/process-stop';

test('one listener notifies all subscribers that the process must stop, and is removed with the last of them', () => {
  const own = process.listenerCount('SIGTERM');
  const stops = Array.from({ length: 20 }, listenForStop);
  expect(process.listenerCount('SIGTERM')).toBe(own + 1);
  stops[0]?.close();
  process.emit('SIGTERM');
  expect(stops.map(({ signal }) => signal.aborted)).toEqual([false, ...Array<boolean>(19).fill(true)]);
  stops.forEach((stop) => stop.close());
  expect(process.listenerCount('SIGTERM')).toBe(own);
});
