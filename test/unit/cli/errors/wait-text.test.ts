import { waitReasonLines } from '../../../../cli/errors/what-to-do';

const DAY_MS = 24 * 3_600_000;
const waiting = { code: 'Transport', message: 'No host.', hint: 'Check it.' } as const;

test.each([
  [waiting, DAY_MS, 'Retrying for up to 24 h: No host.'],
  [{ ...waiting, retryForMs: 60_000 }, DAY_MS, 'Retrying for up to 1 min: No host.'],
  [waiting, undefined, 'Retrying: No host.'],
  [{ ...waiting, code: 'NoWorker' } as const, DAY_MS, 'Waiting: No host.'],
])('%j says how long it is retried', (waitReason, stepRetryMs, line) => {
  expect(waitReasonLines(waitReason, stepRetryMs)).toEqual([line, 'What to do: Check it.']);
});
