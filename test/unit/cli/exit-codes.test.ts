import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MediaServiceError, type ErrorCode } from '../../../api/errors';
import { EXIT_CODES, exitCodeOf } from '../../../cli/exit-codes';

describe('the exit code', () => {
  test.each<[ErrorCode, number]>([
    ['Validation', 2],
    ['Configuration', 3],
    ['LoginRefused', 3],
    ['Unauthorized', 3],
    ['RequestRefused', 5],
    ['ServiceFailed', 4],
    ['Transport', 4],
    ['TemporalUnreachable', 4],
    ['NoWorker', 4],
    ['SourceMissing', 5],
    ['SourceUnavailable', 4],
    ['ProcessingFailed', 5],
    ['ProcessingTimeout', 4],
    ['Cancelled', 5],
    ['InputDiffers', 2],
    ['OutputFailed', 5],
    ['Internal', 1],
  ])('of %s is %i', (code, expected) => {
    expect(exitCodeOf(new MediaServiceError(code, 'It failed.'))).toBe(expected);
  });

  test.each([
    ['an error of somebody else', new TypeError('x')],
    ['no error at all', 'text'],
    ['nothing', undefined],
  ])('of %s is 1', (_label, thrown) => {
    expect(exitCodeOf(thrown)).toBe(1);
  });
});

test('docs/cli.md shows the same table as the code', () => {
  const page = readFileSync(join(__dirname, '../../../docs/cli.md'), 'utf8').replace(/ +\|/g, ' |');
  const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  expect(page).toContain(rows.join('\n'));
});
