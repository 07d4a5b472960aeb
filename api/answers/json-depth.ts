/**
 * Returns how deep the JSON text nests objects and arrays; 0 for a plain value. The text must be valid JSON. It counts
 * without recursion, because the depth is unknown.
 */
export function jsonDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfText(json, at);
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

/** Returns where the text that starts at this quote ends. */
export function endOfText(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
