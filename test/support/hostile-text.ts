import { createContext, runInContext } from 'node:vm';

/** Long enough that quadratic work never ends in time, and deep enough as JSON to exhaust any stack. */
export const HOSTILE_LENGTH = 400_000;
/** Short enough to try many texts on a pattern, and long enough that the slowest one is clearly slower. */
const TRIAL_LENGTH = 8_192;
const KEPT = 3;

/** Time limit for one text, ms. Linear work takes some ms; quadratic work takes minutes. */
const GUARD_MS = 20_000;

const guarded = createContext({});

/**
 * Does the work, and throws if it does not end in time. Jest's own time-out can't end a loop that never yields, and the
 * whole run would hang.
 */
export function endsInTime(work: () => unknown, guardMs = GUARD_MS): void {
  guarded['work'] = work;
  runInContext('work()', guarded, { timeout: guardMs });
}

interface Shape {
  readonly head: string;
  readonly pump: string;
  readonly tail: string;
}

/**
 * The texts on which this pattern is slowest, `HOSTILE_LENGTH` characters each. They repeat its own words and characters
 * after one of its words and before a character that matches nothing. Times only select the texts, and fail no test.
 */
export function hostileTexts(pattern: RegExp): string[] {
  let slowest: { readonly shape: Shape; readonly took: number }[] = [];
  for (const shape of shapesFor(pattern)) {
    const text = textOf(shape, TRIAL_LENGTH);
    const before = performance.now();
    text.replace(pattern, '');
    const took = performance.now() - before;
    if (slowest.length === KEPT && took <= (slowest.at(-1)?.took ?? 0)) continue;
    slowest = [...slowest, { shape, took }].sort((a, b) => b.took - a.took).slice(0, KEPT);
  }
  return slowest.map(({ shape }) => textOf(shape, HOSTILE_LENGTH));
}

function textOf({ head, pump, tail }: Shape, length: number): string {
  return head + pump.repeat(Math.ceil(length / pump.length)) + tail;
}

function* shapesFor({ source }: RegExp): Generator<Shape> {
  const { characters, words } = piecesOf(source);
  const joined = words.flatMap((word) => characters.map((character) => word + character));
  for (const pump of [...characters, ...words, ...joined])
    for (const head of ['', '0', ...words]) for (const tail of ['\0', '\n']) yield { head, pump, tail };
}

const CLASSES: Readonly<Record<string, string>> = { s: ' ', S: 'a', d: '0', D: 'a', w: 'a', W: ' ' };
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The elements of a pattern: its literal words, and a character for each of its characters and classes. */
function piecesOf(source: string): { readonly characters: string[]; readonly words: string[] } {
  const characters = new Set(['a', '0', ' ', '"']);
  const words = new Set<string>();
  let word = '';
  const endWord = (): void => {
    if (word.length > 1) words.add(word);
    word = '';
  };
  const token = /\\(x[0-9a-f]{2}|u[0-9a-f]{4}|[pP]\{\w+\}|.)|\(\?<?[:=!]|[^\\]/gi;
  for (const [text, escape] of source.matchAll(token)) {
    const isSyntax = escape === undefined && (text.length > 1 || '^$.*+?()[]{}|'.includes(text));
    const character = escape === undefined ? text : characterOf(escape);
    if (!isSyntax && character !== undefined) characters.add(character);
    if (isSyntax || character === undefined || (escape !== undefined && escape in CLASSES)) {
      if (text === '?' && word.length > 1) words.add(word);
      if (text === '?') word = word.slice(0, -1);
      endWord();
    } else word += character;
  }
  endWord();
  return { characters: [...characters], words: [...words, ...(words.size > 1 ? [[...words].join('')] : [])] };
}

function characterOf(escape: string): string | undefined {
  if (/^[xu]./.test(escape)) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  if (/^[pPbB\d]/.test(escape)) return undefined;
  return CLASSES[escape] ?? CONTROLS[escape] ?? escape;
}
