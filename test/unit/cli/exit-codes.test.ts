import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, MediaServiceError, ValidationError, type ErrorCode } from '../../../api/errors';
import { EXIT_CODES, exitCodeOf } from '../../../cli/exit-codes';

describe('the exit code', () => {
  test.each<[ErrorCode, number]>([
    ['LoginRefused', 4],
    ['Unauthorized', 4],
    ['RequestRefused', 5],
    ['Transport', 6],
    ['TemporalUnreachable', 7],
    ['NoWorker', 8],
    ['SourceMissing', 9],
    ['SourceNotAllowed', 9],
    ['ProcessingFailed', 10],
    ['PartCorrupted', 10],
    ['ProcessingTimeout', 11],
    ['Cancelled', 12],
    ['InputDiffers', 13],
    ['OutputFailed', 15],
    ['Internal', 1],
  ])('of %s is %i', (code, expected) => {
    expect(exitCodeOf(new MediaServiceError(code, 'It failed.'))).toBe(expected);
  });

  test('of wrong input is 2, of wrong settings 3', () => {
    expect(exitCodeOf(new ValidationError('size', 'size is wrong'))).toBe(2);
    expect(exitCodeOf(new ConfigurationError('baseUrl', 'baseUrl is empty'))).toBe(3);
  });

  test.each([
    ['an error of somebody else', new TypeError('x')],
    ['no error at all', 'text'],
    ['nothing', undefined],
  ])('of %s is 1', (_label, thrown) => {
    expect(exitCodeOf(thrown)).toBe(1);
  });

  test('has one meaning per number', () => {
    const numbers = Object.values(EXIT_CODES).map(({ code }) => code);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

test('docs/cli.md shows the same table as the code', () => {
  const page = readFileSync(join(__dirname, '../../../docs/cli.md'), 'utf8').replace(/ +\|/g, ' |');
  const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  expect(page).toContain(rows.join('\n'));
});
