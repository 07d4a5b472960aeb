import { expect, test } from '@jest/globals';
import { until } from '../../support/until';

const BRIEFLY = { limitMs: 30, pauseMs: 1 };

test('until resolves with the first value that passes', async () => {
  let looks = 0;
  const look = async (): Promise<number> => (looks += 1);
  expect(await until('three', look, (seen) => seen >= 3, { pauseMs: 1 })).toBe(3);
  expect(looks).toBe(3);
  expect(await until('something', () => looks > 0)).toBe(true);
});

test('until fails with what it waited for and the last value', async () => {
  const look = (): { phase: string } => ({ phase: 'uploading' });
  await expect(until('it completes', look, ({ phase }) => phase === 'completed', BRIEFLY)).rejects.toThrow(
    "Not within 30 ms: it completes. Last seen: { phase: 'uploading' }",
  );
});
