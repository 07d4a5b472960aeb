/**
 * The lines with a typographic apostrophe, as `line: problem`. A search for a text then needs one form only.
 * @param {string} text
 */
export function typographicApostrophes(text) {
  return text
    .split('\n')
    .flatMap((line, index) => (line.includes('\u2019') ? [`${index + 1}: \u2019 -> '`] : []));
}
