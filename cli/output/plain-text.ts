/** Whole terminal sequences (CSI, OSC, and two-character escapes), because their parameters are no text either. */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;
/** C0 and C1 except tab and line feed, and the marks that change the direction of writing. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Makes text from elsewhere safe to print on a terminal. Of the control characters, only tab and line feed stay. */
export function plainText(text: string): string {
  return text.replace(SEQUENCES, '').replace(CONTROLS, '');
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** Returns complete JSON without raw control characters: those that JSON allows are escaped. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
