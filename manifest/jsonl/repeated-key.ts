import { endOfText } from '../../api/answers/read-answer';

/**
 * Returns a key that an object in this JSON contains twice, at any depth: `JSON.parse` silently keeps only its last
 * value. The text must be JSON.
 */
export function repeatedKey(json: string): string | undefined {
  // Undefined: an array.
  const open: (Set<string> | undefined)[] = [];
  let isKey = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '{' || character === '[') open.push(character === '{' ? new Set() : undefined);
    else if (character === '}' || character === ']') open.pop();
    if (character === '{' || character === ',') isKey = open.at(-1) !== undefined;
    if (character !== '"') continue;
    const end = endOfText(json, at);
    const keys = open.at(-1);
    if (isKey && keys !== undefined) {
      const key = String(JSON.parse(json.slice(at, end + 1)));
      if (keys.has(key)) return key;
      keys.add(key);
    }
    isKey = false;
    at = end;
  }
  return undefined;
}
