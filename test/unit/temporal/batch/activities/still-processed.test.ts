import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { HOUR_MS } from '../../../../../api/clock';
import { stillProcessed } from '../../../../../temporal/batch/activities/upload-row';

/** ms until the next try. */
async function delayAfter(attempt: number): Promise<number> {
  const failure: unknown = await new MockActivityEnvironment({ attempt }).run(() =>
    Promise.resolve(stillProcessed(3, {})),
  );
  if (!(failure instanceof ApplicationFailure)) throw new Error('It is a failure that Temporal carries.');
  expect(failure).toMatchObject({ category: 'BENIGN', nonRetryable: false });
  return Number(failure.nextRetryDelay);
}

it('a page whose rows are processed for long costs at most 60 actions an hour, after the first', async () => {
  const hours = [0, 0, 0];
  let at = 0;
  for (let attempt = 1; at < hours.length * HOUR_MS; attempt += 1) {
    const hour = Math.floor(at / HOUR_MS);
    hours[hour] = (hours[hour] ?? 0) + 1;
    at += await delayAfter(attempt);
  }
  expect(hours.slice(1)).toEqual([60, 60]);
  expect(hours[0]).toBeLessThan(80);
});
