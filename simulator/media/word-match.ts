/**
 * "Matched against the title with flexible word matching". Each word of the term must be the beginning of a word in
 * the title, in any order. Case and accents do not matter. A term without a word matches all titles.
 */
export function matchesWords(term: string, title: string): boolean {
  const words = wordsOf(title);
  return wordsOf(term).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}
