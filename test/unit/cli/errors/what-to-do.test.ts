import { expect, test } from '@jest/globals';
import { ValidationError } from '../../../../api/errors';
import { messageOf, whatToDoAbout } from '../../../../cli/errors/what-to-do';

test('each of several mistakes begins with its flag, whatever its own text begins with', () => {
  const error = new ValidationError('at', '3 settings are wrong', {
    mistakes: [
      { field: 'at', message: 'at is missing', problem: 'is missing' },
      { field: 'to', message: '--tomorrow is no target', hint: '--to-day is none either.' },
      { field: 'elsewhere', message: 'elsewhere is wrong', problem: 'is wrong' },
    ],
  });
  expect(messageOf(error).split('\n  ')).toEqual([
    '3 flags are wrong:',
    '--at is missing',
    '--to: --tomorrow is no target',
    'elsewhere is wrong',
  ]);
  expect(whatToDoAbout(error)).toBe('--to: --to-day is none either.');
});
