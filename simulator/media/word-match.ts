/**
 * "Matched against the title with flexible word matching": each word of the term begins some word of the title, in any order;
 * case and accents make no difference. A term without a word matches all.
 */
export function matchesWords(term: string, title: string): boolean {
  const words = wordsOf(title);
  return wordsOf(term).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}
