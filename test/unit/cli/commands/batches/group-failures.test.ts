import { groupFailures } from '../../../../../cli/commands/batches/show';
import type { ResultLine } from '../../../../../temporal/batch/types';
import { resultLine } from '../../../temporal/batch/result-line';

function line(number: number, change: Partial<ResultLine>): ResultLine {
  const row = { line: number, id: `row-${number}`, source: `${number}.mp4` };
  return resultLine({ ...row, status: 'FAILED', ...change });
}

const missing = { code: 'SourceMissing', message: 'It is not there.', hint: 'Check the path.' };
const busy = { code: 'StorageBusy', message: 'Storage is busy.', requestId: 'r-7' };

test('failed rows are grouped by code, the most frequent first, with the first three of each', () => {
  const lines = [
    line(2, { error: busy }),
    ...[3, 4, 5, 6].map((number) =>
      line(number, { error: { ...missing, message: `${number} is missing.` } }),
    ),
    line(7, { status: 'COMPLETED' }),
    line(8, { status: 'CANCELLED', error: { code: 'Cancelled', message: 'x' } }),
  ];
  expect(groupFailures(lines)).toEqual([
    {
      code: 'SourceMissing',
      rows: 4,
      message: '3 is missing.',
      hint: 'Check the path.',
      examples: [3, 4, 5].map((number) => ({
        line: number,
        id: `row-${number}`,
        source: `${number}.mp4`,
        message: `${number} is missing.`,
      })),
    },
    {
      code: 'StorageBusy',
      rows: 1,
      message: 'Storage is busy.',
      requestId: 'r-7',
      hint: 'Try again later, or send fewer parts at once.',
      examples: [{ line: 2, id: 'row-2', source: '2.mp4', message: busy.message }],
    },
  ]);
});

test('rows whose advice differs only in its ids are one group', () => {
  const lines = [2, 3, 4].map((number) =>
    line(number, {
      error: {
        code: 'CompleteAmbiguous',
        message: `It is unknown whether ${number} was completed.`,
        hint: `Ask for the upload 5f0a-b${number}c7, of row-${number}, with ${number}.mp4.`,
      },
    }),
  );
  expect(groupFailures(lines)).toMatchObject([
    { rows: 3, hint: 'Ask for the upload 5f0a-b2c7, of row-2, with 2.mp4.', examples: [{}, {}, {}] },
  ]);
});

test('rows of one code with different fixes are listed separately', () => {
  const refused = { code: 'SourceNotAllowed', message: 'It is not allowed.' };
  const lines = [
    line(2, { error: { ...refused, hint: 'To allow it, add the host cdn to {sourceHosts}.' } }),
    line(3, { error: { ...refused, hint: 'Add it to {s3Buckets}, or choose another bucket.' } }),
  ];
  expect(groupFailures(lines)).toMatchObject([
    { code: 'SourceNotAllowed', rows: 1, hint: expect.stringContaining('add the host cdn') },
    { code: 'SourceNotAllowed', rows: 1, hint: expect.stringMatching(/bucket/) },
  ]);
});

test('a failed row without an error is listed', () => {
  expect(groupFailures([line(2, {})])).toMatchObject([{ code: 'Internal', rows: 1 }]);
});
