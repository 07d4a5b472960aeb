import { expect, test } from '@jest/globals';
import { escapeHtml } from '../../../../reports/html/escape-html';

test('a text can neither open a tag, an entity, nor end an attribute', () => {
  expect(escapeHtml('<a href="x">&amp;')).toBe('&lt;a href=&quot;x&quot;&gt;&amp;amp;');
});
