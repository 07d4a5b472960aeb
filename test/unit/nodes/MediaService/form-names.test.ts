import { expect, test } from '@jest/globals';
import { namedAsInForm, optionsAsInForm } from '../../../../nodes/MediaService/form-names';

test.each([
  ['from', 'from isn\'t a valid date: "x"', '"From" isn\'t a valid date: "x"'],
  ['from', 'from and to are both 2026, an empty range', '"From" and "To" are both 2026, an empty range'],
  ['from', 'from (2026-11-02) is after to (2026-11-01)', '"From" (2026-11-02) is after "To" (2026-11-01)'],
  ['from', 'The range ends just before `to`.', 'The range ends just before "To".'],
  [
    'size',
    'size is 5000: it must be between 0 and 1000',
    '"Page Size" is 5000: it must be between 0 and 1000',
  ],
  [
    'options.concurrency',
    'concurrency must be a whole number from 1 to 16',
    '"Parallel Parts" must be a whole number from 1 to 16',
  ],
  ['url', '"url" is empty for this item', '"URL" is empty for this item'],
  ['tags', 'tags and metadata have 9 bytes', 'tags and metadata have 9 bytes'],
  ['Limit', '"Limit" must be a number', '"Limit" must be a number'],
])('an error about %s that says "%s" is shown under the names of the form', (field, text, shown) => {
  expect(namedAsInForm(text, field)).toBe(shown);
});

test.each([
  [
    'The batch b is running with other options (bytesPerSecond, sourceHost, upload).',
    'The batch b is running with other options (Bandwidth (MB/s), Worker Host, options of each upload).',
  ],
  ['It has other options (pageRows).', 'It has other options (pageRows).'],
  ['The window is 3 (window).', 'The window is 3 (window).'],
])('options of a batch that "%s" lists are shown under the names of the form', (text, shown) => {
  expect(optionsAsInForm(text)).toBe(shown);
});
