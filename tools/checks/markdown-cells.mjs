const MAX_WORDS = 20;
/** Rows that repeat a text from the code, which has its own test: metrics and variables. */
const FROM_CODE = /^\| `(media_service|MEDIA_SERVICE|TEMPORAL|OTEL)_/;

/**
 * Table cells with more than 20 words, as `line: problem`. Such a text should be prose.
 * @param {string} text
 */
export function longCells(text) {
  return text.split('\n').flatMap((line, index) => {
    if (!line.startsWith('|') || FROM_CODE.test(line)) return [];
    const long = line.split('|').filter((cell) => wordsOf(cell) > MAX_WORDS);
    return long.map(
      (cell) => `${index + 1}: a cell has ${wordsOf(cell)} words: ${cell.trim().slice(0, 40)}…`,
    );
  });
}

const wordsOf = (cell) => cell.split(/\s+/).filter((word) => word !== '').length;
