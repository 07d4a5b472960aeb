import { describe, expect, it } from '@jest/globals';
import { hasEnded } from '../../../../../temporal/workflows/batch/note-undelivered';

describe('hasEnded', () => {
  it.each([
    [
      'a signal to a workflow that is gone',
      'Unable to signal external workflow because it was not found',
      true,
    ],
    ['a cancellation of one that is gone', 'Unable to cancel external workflow because not found', true],
    [
      'one signal too many',
      'Unable to signal external workflow because The per-workflow signal limit was exceeded',
      false,
    ],
    ['an unknown reason', 'Unable to signal external workflow because unknown', false],
    ['something else that is not found', 'The key was not found', false],
  ])('of %s', (_name, message, expected) => {
    expect(hasEnded(new Error(message))).toBe(expected);
  });

  it('is false for a value that is not an error', () => {
    expect(hasEnded('because it was not found')).toBe(false);
  });
});
