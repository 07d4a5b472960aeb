import ts from 'typescript';

/**
 * Words that documentation, comments and texts no longer use, each with its replacement. Code spans, code blocks and link
 * targets are ignored, because they contain names from the code.
 */
export const WORDS = [
  [/\baccounts? of (each|every|all|a batch|the batch|its rows|rows)\b/i, 'results'],
  [/\bledgers?\b/i, 'page journal'],
  [/\b(?<!\b(in|into|its|their|take|takes) )places?\b/i, 'file location, folder, or what it is'],
  [/\bwindows?\b|\bWindow\b/, 'concurrency, or period'],
  [/\b(tell|tells|told|untold)\b/i, 'report, say, name, notify'],
  [/\bsteer(s|ed|ing)?\b/i, 'control'],
  [/\bwish(es|ed)?\b/i, 'request, preferred'],
  [/\b(held|holds?|holding) (it |them |[a-z]+ )?up\b/i, 'waiting for …'],
  [/\bdoubts?\b/i, 'warning'],
  [/\bteach(es|ing)?\b/i, 'help'],
  [/\bbeats?\b/i, 'heartbeat'],
  [/\b(patient|patience|patiently|persistently)\b/i, 'retry'],
  [/\bsightings?\b/i, 'poll result'],
  [/\b(take|takes|taking) turns\b|\bpac(e|ing)\b/i, 'rate limiter, alternate'],
  [/\b(give|gives|given|giving) (parts |part |all |it |them )?back\b/i, 'requeue, free'],
  [/\brow spool\b/i, 'row store'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\banew\b/i, 'again'],
  [/\bheed(s|ed|ing)?\b/i, 'use, respect'],
  [/\b(deeds?|occasions?|spoilt|dice|warden)\b/i, 'operation, fault target, faulted, random, supervisor'],
  [/\bstanding batch\b|\bcadence\b|\btally\b/i, 'running batch, interval, counts'],
  [/\bshall\b|\b(has|have|had) to\b/i, 'must'],
  [/\b(is|are|was|were) (not )?to be\b/i, "can, can't, must"],
  [/\b(go|goes|going|went) on\b/i, 'continue'],
  [/\b(stand|stands|stood)\b(?!-in)/i, 'is, are'],
];

/**
 * The old words in one Markdown file, as `line: word -> use`.
 * @param {string} text
 */
export function oldWords(text) {
  return proseLines(text).flatMap(({ number, prose }) => oldWordsIn(prose, number));
}

/**
 * The old words in the comments and texts of one TypeScript file, as `line: word -> use`. A text is a string with a space.
 * @param {string} text
 */
export function oldWordsOfCode(text) {
  const file = ts.createSourceFile('checked.ts', text, ts.ScriptTarget.Latest, true);
  /** @type {Map<number, string>} */
  const texts = new Map();
  const visit = (/** @type {ts.Node} */ node) => {
    const comments = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of comments) texts.set(pos, text.slice(pos, end).replace(/\n\s*\*/g, ' '));
    if ('text' in node && typeof node.text === 'string' && /\S\s+\S/.test(node.text)) {
      if (!ts.isSourceFile(node)) texts.set(node.getStart(file), node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...texts].flatMap(([at, found]) =>
    oldWordsIn(found.replace(/`[^`]*`/g, '``'), file.getLineAndCharacterOfPosition(at).line + 1),
  );
}

/**
 * @param {string} prose
 * @param {number} line
 */
function oldWordsIn(prose, line) {
  return WORDS.flatMap(([pattern, instead]) => {
    const [found] = pattern.exec(prose) ?? [];
    return found === undefined ? [] : [`${line}: "${found}" -> ${instead}`];
  });
}

/**
 * The lines of a Markdown file outside of code blocks, without code spans, link targets and quoted names.
 * @param {string} text
 */
function proseLines(text) {
  const lines = [];
  let fence;
  for (const [index, line] of text.split('\n').entries()) {
    const [, mark] = /^\s*(```+|~~~+)/.exec(line) ?? [];
    if (mark !== undefined && (fence === undefined || line.trim() === fence)) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence !== undefined || /^ {4}(?! *[-*\d])/.test(line)) continue;
    lines.push({ number: index + 1, prose: line.replace(/`[^`]*`/g, '``').replace(/\]\([^)]*\)/g, ']') });
  }
  return lines;
}
