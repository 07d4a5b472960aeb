import { expect, test } from '@jest/globals';
import { pollToTheEnd } from '../../../../../api/upload/direct/poll-to-the-end';
import { failureOf } from '../failure-of';
import { scriptedService } from '../scripted-service';

const HOUR_MS = 3_600_000;
const POLL = { uploadId: 'u-1', completedAt: 1_000_000, limitMs: 24 * HOUR_MS };

test('polling survives a service that is down for hours, as long as processing may take', async () => {
  let slept: readonly number[] = [];
  const scripted = scriptedService(() =>
    sum(slept) < 5 * HOUR_MS
      ? { status: 503 }
      : { status: 200, body: { uploadId: 'u-1', status: 'COMPLETED' } },
  );
  slept = scripted.slept;
  expect(await pollToTheEnd(scripted.service, POLL)).toMatchObject({ status: 'COMPLETED' });
  expect(sum(slept)).toBeGreaterThan(5 * HOUR_MS);
});

test('polling ends when processing takes longer than allowed', async () => {
  const { service, slept } = scriptedService(() => ({ status: 503 }));
  await failureOf(pollToTheEnd(service, { ...POLL, limitMs: HOUR_MS }));
  expect(sum(slept)).toBeGreaterThan(0.9 * HOUR_MS);
  expect(sum(slept)).toBeLessThan(1.1 * HOUR_MS);
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
