import { endsInTime, hostileTexts } from '../support/hostile-text';
import { productPatterns } from '../support/product-source';

test.each(productPatterns())(
  'every regular expression of the product handles 400,000 characters of its worst input $at $pattern',
  ({ pattern }) => {
    let texts: string[] = [];
    // This tries thousands of short texts.
    endsInTime(() => {
      texts = hostileTexts(pattern);
    }, 60_000);
    for (const text of texts) endsInTime(() => text.replace(pattern, ''));
  },
);

test.each([
  ['exponential time', /^(?:"(?:[^"]|"")*"|[^",;\t])*([,;\t])/],
  ['quadratic time since it begins at each character', /\/+$/],
  ['quadratic time since it begins at each word', /<title[^>]*>([^<]*)<\/title>/i],
  ['quadratic time since two parts share characters', /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i],
])('this test fails for a regular expression that takes %s', (_label, pattern) => {
  const work = (): void => {
    for (const text of hostileTexts(pattern)) text.replace(pattern, '');
  };
  expect(() => endsInTime(work, 2_000)).toThrow('timed out');
});
