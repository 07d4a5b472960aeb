import ts from 'typescript';

/**
 * Words that documentation, comments and texts no longer use, each with its replacement. Code spans, code blocks and link
 * targets are ignored, because they contain names from the code.
 */
export const WORDS = [
  [/\baccounts? of (each|every|all|a batch|the batch|its rows|rows)\b/i, 'results'],
  [/\bledgers?\b/i, 'page journal'],
  [/\b(?<!\b(in|into) )places?\b/i, 'file location, folder, or what it is'],
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
  [/\bcannot\b/i, "can't"],
  [/\bswitch(ed|es|ing)? (\w+ ){0,4}(on|off)\b/i, 'turn on, turn off'],
  [/\bthat (is|are) no(ne)?\b(?! (longer|more|\w+er)\b)/i, 'is not a, malformed, unknown'],
];

/**
 * Words that names of files, types, functions and values no longer have, each with its replacement. A pattern is tried on
 * a name's words in lower case, with spaces between them.
 */
export const NAMES = [
  [/\bledgers?\b/, 'page journal'],
  [/\bplaces?\b/, 'location, context, or what it is'],
  [/\bwindows?\b/, 'concurrency, or period'],
  [/\b(tell|tells|telling|told|untold)\b/, 'report, notify, send'],
  [/\bsteer(s|ed|ing)?\b/, 'control'],
  [/\bwish(es|ed)?\b/, 'request, options, preferred'],
  [/\bheld up\b/, 'wait reason'],
  [/\bdoubts?\b/, 'warning'],
  [/\bteach(es|ing)?\b/, 'help'],
  [/^most\b/, 'max'],
  [/\bbeat(s|ing)?\b/, 'heartbeat'],
  [/\b(patient|patience|patiently|persistently|steadily|as often)\b/, 'retry'],
  [/\bsightings?\b/, 'poll result'],
  [/\bturns\b|\btakes? turn\b|\bpac(e|ing)\b/, 'rate limiter'],
  [/\brow spool\b/, 'row store'],
  [/\bmend(s|ed|ing)?\b/, 'fix'],
  [/\banew\b/, 'again'],
  [/\bheed(s|ed|ing)?\b/, 'use, respect'],
  [
    /\b(deeds?|occasions?|spoilt|dice|world|bed|warden)\b/,
    'operation, target, faulted, random, state, supervisor',
  ],
  [/\b(course|tally|cadence|standing)\b/, 'run context, counts, interval, running'],
];

/** Names that others gave, or that have the word's other meaning. */
const KEPT_NAMES = new Set([
  // Temporal's.
  'catchupWindow',
  'CATCHUP_WINDOW_MS',
  'numActionsMissedCatchupWindow',
  // zlib's.
  'windowBits',
]);

/** Texts that others gave. */
const KEPT_TEXTS = [
  // Grafana's field of a legend.
  /"place": "bottom"|unexpected field 'place'/g,
  // Node's.
  /Cannot find module/g,
  // Temporal's exporter.
  /cannot assign requested/gi,
  // n8n's editor and Commander's.
  /Workflow execution cannot start/g,
  /cannot be used with option/g,
  // A terminal's.
  /window title/g,
];

/**
 * Whether the words of a TypeScript or JavaScript file are checked. Recorded histories keep theirs, and the list of the
 * words has old words as data.
 * @param {string} file
 */
export function isCheckedSource(file) {
  if (!/\.([cm]js|ts)$/.test(file) || file.startsWith('test/histories/')) return false;
  return file !== 'tools/checks/glossary-words.mjs';
}

/**
 * The old words in one Markdown file, as `line: word -> use`.
 * @param {string} text
 */
export function oldWords(text) {
  return proseLines(text).flatMap(({ number, prose }) => oldWordsIn(prose, number));
}

/**
 * The old words in the comments and texts of one TypeScript or JavaScript file, as `line: word -> use`. A text is a string with a space.
 * Finds words that wrap over lines too.
 * @param {string} text
 */
export function oldWordsOfCode(text) {
  const file = ts.createSourceFile('checked.ts', text, ts.ScriptTarget.Latest, true);
  /** @type {Map<number, string>} */
  const texts = new Map();
  const visit = (/** @type {ts.Node} */ node) => {
    for (const comments of [
      ts.getLeadingCommentRanges(text, node.pos) ?? [],
      ts.getTrailingCommentRanges(text, node.end) ?? [],
    ]) {
      for (const { pos, end } of joinedLines(text, comments)) {
        texts.set(pos, text.slice(pos, end).replace(/\n\s*(\*|\/\/)/g, ' '));
      }
    }
    if ('text' in node && typeof node.text === 'string' && /\S\s+\S/.test(node.text)) {
      if (!ts.isSourceFile(node)) texts.set(node.getStart(file), node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...texts].flatMap(([at, found]) =>
    oldWordsIn(
      found.replace(/`[^`]*`/g, '``').replace(/\s+/g, ' '),
      file.getLineAndCharacterOfPosition(at).line + 1,
    ),
  );
}

/**
 * Joins comments of one line each that follow each other, because a word may wrap from one to the next.
 * @param {string} text
 * @param {readonly ts.CommentRange[]} comments
 */
function joinedLines(text, comments) {
  /** @type {{ pos: number, end: number }[]} */
  const joined = [];
  for (const { pos, end, kind } of comments) {
    const last = joined.at(-1);
    const isNext =
      last !== undefined &&
      kind === ts.SyntaxKind.SingleLineCommentTrivia &&
      text.startsWith('//', last.pos) &&
      /^\r?\n[ \t]*$/.test(text.slice(last.end, pos));
    if (isNext) last.end = end;
    else joined.push({ pos, end });
  }
  return joined;
}

/**
 * The old words in one file for operators or n8n: YAML, JSON, shell scripts.
 * @param {string} text
 */
export function oldWordsOfLines(text) {
  return text
    .split('\n')
    .flatMap((line, index) => oldWordsIn(line.replace(/\\n/g, ' ').replace(/`[^`]*`/g, '``'), index + 1));
}

/**
 * The old words in the names of one TypeScript or JavaScript file, as `line: name -> use`.
 * @param {string} text
 */
export function oldNames(text) {
  const file = ts.createSourceFile('checked.ts', text, ts.ScriptTarget.Latest, true);
  /** @type {Map<string, number>} */
  const names = new Map();
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const name = node.text.replace('#', '');
      if (!names.has(name)) names.set(name, file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...names].flatMap(([name, line]) => oldWordsOfName(name).map((finding) => `${line}: ${finding}`));
}

/**
 * The old words in the path of one file, as `1: name -> use`.
 * @param {string} path
 */
export function oldWordsOfPath(path) {
  const names = path.split('/').map((part) => part.replace(/(?<=.)\..*/, ''));
  return names.flatMap((name) => oldWordsOfName(name).map((finding) => `1: ${finding}`));
}

/** @param {string} name */
function oldWordsOfName(name) {
  if (KEPT_NAMES.has(name)) return [];
  const words = name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .join(' ')
    .trim()
    .toLowerCase();
  return NAMES.flatMap(([pattern, instead]) =>
    pattern.test(words) ? [`the name "${name}" -> ${instead}`] : [],
  );
}

/**
 * @param {string} prose
 * @param {number} line
 */
function oldWordsIn(prose, line) {
  const ours = KEPT_TEXTS.reduce((text, kept) => text.replace(kept, ''), prose);
  return WORDS.flatMap(([pattern, instead]) => {
    const [found] = pattern.exec(ours) ?? [];
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

/**
 * The lines with a typographic apostrophe, as `line: problem`. A search for a text then needs one form only.
 * @param {string} text
 */
export function typographicApostrophes(text) {
  return text
    .split('\n')
    .flatMap((line, index) => (line.includes('\u2019') ? [`${index + 1}: \u2019 -> '`] : []));
}
