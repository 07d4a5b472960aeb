/**
 * Words that the documentation no longer uses, each with the one that it uses. Code spans, code blocks and link targets
 * are not read: names in code are the code's affair.
 */
export const WORDS = [
  [/\baccounts? of (each|every|all|a batch|the batch|its rows|rows)\b/i, 'results'],
  [/\bledgers?\b/i, 'page journal'],
  [/\b(?<!in )(?<!take )(?<!takes )places?\b/i, 'file location, folder, or what it is'],
  [/\bwindows?\b(?! (of|and) (n8n|macOS))/i, 'concurrency, or period'],
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
 * What the text of one Markdown file says in such words, as `line: word -> use`.
 *
 * @param {string} text
 */
export function oldWords(text) {
  return proseLines(text).flatMap(({ number, prose }) =>
    WORDS.flatMap(([pattern, instead]) => {
      const [found] = pattern.exec(prose) ?? [];
      return found === undefined ? [] : [`${number}: "${found}" -> ${instead}`];
    }),
  );
}

/**
 * The lines of a Markdown file outside of code blocks, without code spans, link targets and quoted names.
 *
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
