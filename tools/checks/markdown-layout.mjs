const MAX_WORDS = 20;
const MAX_LENGTH = 120;

/**
 * Table cells with more than 20 words, as `line: problem`. Such a text should be prose.
 * @param {string} text
 */
export function longCells(text) {
  return text.split('\n').flatMap((line, index) => {
    if (!line.startsWith('|')) return [];
    const long = line.split('|').filter((cell) => wordsOf(cell) > MAX_WORDS);
    return long.map(
      (cell) => `${index + 1}: a cell has ${wordsOf(cell)} words: ${cell.trim().slice(0, 40)}…`,
    );
  });
}

/**
 * Lines with more than 120 characters, as `line: problem`. Prettier wraps sentences, but it makes a table as wide as its
 * longest cells.
 * @param {string} text
 */
export function longLines(text) {
  return text.split('\n').flatMap((line, index) => {
    if (line.length <= MAX_LENGTH) return [];
    const help = line.startsWith('|') ? ': shorten its cells, or write a list' : '';
    return [`${index + 1}: the line has ${line.length} characters${help}`];
  });
}

const wordsOf = (cell) => cell.split(/\s+/).filter((word) => word !== '').length;
