import { given } from '../../api/json';
import type { WaitReason } from '../../temporal/client/wait-reason';
import { formatBytes, formatCount, formatSpan, plainLine } from '../output/plain-text';
import { createLiveLines } from '../output/terminal';
import type { ScreenSize, Terminal } from '../output/terminal';
import { packRows } from '../output/text-width';
import { barRows, percent } from './bar-rows';
import type { Bar } from './bar-rows';
import { createMeter } from './meter';
import type { Meter } from './meter';

/** What is counted: bytes of an upload, or rows of a batch. */
interface Unit {
  readonly amount: (count: number) => string;
  readonly rate: (perSecond: number) => string;
  /** Period of the rate, ms. */
  readonly periodMs: number;
  /** After this time without progress, an old rate would promise an end that is not coming closer. */
  readonly stillMs: number;
}

export const BYTES: Unit = {
  amount: formatBytes,
  rate: (bytes) => `${formatBytes(bytes)}/s`,
  ...{ periodMs: 20_000, stillMs: 5_000 },
};
export const ROWS: Unit = {
  amount: formatCount,
  rate: (rows) => `${rows >= 10 ? formatCount(Math.round(rows)) : rows.toFixed(1)} rows/s`,
  ...{ periodMs: 60_000, stillMs: 30_000 },
};

/** What a look at an upload or a batch has found. */
export interface Reading {
  readonly unit: Unit;
  /** What it is doing, in one or two words. */
  readonly phase: string;
  /** Whether progress is due. */
  readonly moves: boolean;
  readonly done: number;
  /** See `Meter`. */
  readonly sure: number;
  readonly earlier: number;
  /** Unset: not known before its source is read. */
  readonly total?: number | undefined;
  /** Further numbers: `6 of 15 parts`. On a terminal those of a batch are below its bar. */
  readonly facts: readonly string[];
  readonly heartbeatAt?: number | undefined;
  readonly waitsForSlot?: boolean | undefined;
  readonly waitReason?: WaitReason | undefined;
  /** A sentence that is said once. */
  readonly warning?: string | undefined;
  /** What `--json` prints when it changes. Unset: nothing. */
  readonly json?: object;
}

/** An upload or a batch, as the user knows it. */
export interface Named {
  /** Its workflow. Two uploads may have the same file name. */
  readonly id: string;
  readonly name: string;
  /** Size of an upload's file, if known here. */
  readonly bytes?: number;
}

type How = 'completed' | 'failed' | 'cancelled' | 'ended';

/** Shows the progress of uploads or of a batch. */
export interface ProgressView {
  readonly show: (id: string, reading: Reading) => Promise<void> | void;
  /** Shows a line that is not progress, such as an end or that nobody works on it. */
  readonly say: (text: string) => void;
  /** `done`: the bytes of an upload that ended well, or the rows of a batch. */
  readonly end: (id: string, how: How, done?: number) => void;
  readonly close: () => void;
}

const nothing = (): void => undefined;
const SILENT: ProgressView = { show: nothing, say: nothing, end: nothing, close: nothing };

/**
 * Chooses bars on a terminal and plain lines elsewhere. With `--json` and without a terminal, it shows nothing. `now`:
 * epoch ms.
 */
export function chooseProgressView(
  terminal: Terminal,
  { json, now, all }: { json: boolean; now: () => number; all: readonly Named[] },
): ProgressView {
  if (json && terminal.screen === undefined) return SILENT;
  const states = new Map(all.map((named): [string, State] => [named.id, { named }]));
  const change = (id: string, to: Partial<State>): State => {
    const state = { ...(states.get(id) ?? { named: { id, name: id } }), ...to };
    states.set(id, state);
    return state;
  };
  const renderer = createRenderer(terminal, () => [...states.values()], now);
  return {
    show(id, reading) {
      const { meter = createMeter(reading.unit.periodMs) } = states.get(id) ?? {};
      meter.add({ ...reading, at: now() });
      renderer.changed(change(id, { meter, reading }));
    },
    end: (id, how, done) => renderer.changed(change(id, { how, ...given({ ended: done }) })),
    say: renderer.say,
    close: renderer.close,
  };
}

/** Shows no progress, only what is said. */
export function createNotesView(terminal: Terminal): ProgressView {
  return { ...SILENT, say: (text) => terminal.note(text) };
}

/** Prints the object of each reading that differs from the last one. */
export function createJsonView(terminal: Terminal): ProgressView {
  let last = '';
  return {
    ...SILENT,
    async show(_id, { json }) {
      const text = JSON.stringify(json);
      if (text !== last) await terminal.json(json);
      last = text;
    },
  };
}

interface State {
  readonly named: Named;
  readonly reading?: Reading;
  readonly meter?: Meter;
  readonly how?: How;
  readonly ended?: number;
}

interface Renderer {
  readonly changed: (state: State) => void;
  readonly say: (text: string) => void;
  readonly close: () => void;
}

function createRenderer(terminal: Terminal, all: () => readonly State[], now: () => number): Renderer {
  if (terminal.screen === undefined) return createLines(terminal, all, now);
  const live = createLiveLines(terminal.screen, (size) => barLines(all(), size));
  return { changed: () => live.draw(), say: (text) => live.print(text), close: () => live.close() };
}

/** More uploads than this share one line. */
const MAX_LINES = 5;
/** Shortest time between two lines about the same in the same phase. */
const LINE_EVERY_MS = 5_000;

/** Lines for logs: one when the phase or the reason of a standstill changes, else one every five seconds at most. */
function createLines(terminal: Terminal, all: () => readonly State[], now: () => number): Renderer {
  const shown = new Map<string, { readonly at: number; readonly phase: string; readonly moved: string }>();
  const show = (id: string, phase: string, { text, moved }: { text: string; moved: string }): void => {
    const before = shown.get(id);
    const at = now();
    const isDue = before === undefined || (at - before.at >= LINE_EVERY_MS && moved !== before.moved);
    if (!isDue && phase === before.phase) return;
    shown.set(id, { at, phase, moved });
    terminal.note(text);
  };
  return {
    changed(state) {
      if (all().length > MAX_LINES) {
        const { name, share, facts } = totalBar(all());
        const text = [name, percent(share), ...facts].filter((fact) => fact !== '').join(', ');
        show('', '', { text, moved: text });
        return;
      }
      const { named, reading, meter, how } = state;
      if (reading === undefined || meter === undefined || how !== undefined) return;
      const phase = `${reading.phase} ${standstillOf(reading, meter) ?? ''}`;
      const moved = `${meter.done()} ${reading.facts.join(' ')}`;
      show(named.id, phase, { text: progressText(named.name, reading, meter), moved });
    },
    say: (text) => terminal.note(text),
    close: nothing,
  };
}

/**
 * One line with everything: `clip.mp4: uploading, 41%, 123.0 MB of 300.0 MB, 6 of 15 parts, 94.4 MB/s, 2 s left`.
 */
export function progressText(name: string, reading: Reading, meter: Meter): string {
  const { total = 0, phase, facts } = reading;
  const amounts = total === 0 ? [] : [percent(meter.done() / total), amountText(reading, meter)];
  const known = [phase, ...amounts, ...facts, rateText(reading, meter)];
  return `${plainLine(name)}: ${known.filter((fact) => fact !== '').join(', ')}`;
}

function amountText({ unit, total }: Reading, meter: Meter): string {
  return total === undefined ? '' : `${unit.amount(meter.done())} of ${unit.amount(total)}`;
}

/** Parts that move or wait send a heartbeat each second. */
const NO_NEWS_AFTER_MS = 10_000;

/** Why nothing moves, for what has not moved for some time. */
function standstillOf({ unit, moves, waitReason, waitsForSlot }: Reading, meter: Meter): string | undefined {
  if (!moves) return undefined;
  if (meter.silentMs() >= NO_NEWS_AFTER_MS) return 'no news from its worker';
  if (meter.stillMs() < unit.stillMs) return undefined;
  // The reason has its own line.
  if (waitReason !== undefined) return 'waiting';
  return waitsForSlot === true ? 'waiting for a slot' : undefined;
}

/** `94.4 MB/s, 3 s left`, or why nothing moves; empty if there is nothing to report. */
function rateText(reading: Reading, meter: Meter): string {
  const { unit, moves, total = 0 } = reading;
  const standstill = standstillOf(reading, meter);
  const rate = moves && meter.stillMs() < unit.stillMs ? (meter.rate() ?? 0) : 0;
  if (standstill !== undefined || rate <= 0) return standstill ?? '';
  return `${unit.rate(rate)}${leftText(total - meter.done(), rate)}`;
}

function leftText(left: number, rate: number): string {
  return left > 0 ? `, ${formatSpan((left * 1000) / rate)} left` : '';
}

/** If not all bars fit, running uploads come first. The total counts the others. */
function barLines(all: readonly State[], { columns, rows }: ScreenSize): string[] {
  const total = all.length > 1 ? [totalBar(all)] : [];
  const begun = all.filter(({ reading, how }) => reading !== undefined || how !== undefined);
  const room = rows - total.length;
  const shown = begun.length <= room ? begun : begun.filter(({ how }) => how === undefined).slice(0, room);
  const bars = [...shown.map(barOf), ...total];
  const below = shown.flatMap(({ reading, how }) =>
    reading?.unit === ROWS && how === undefined ? reading.facts : [],
  );
  return [...barRows(bars, columns), ...packRows(below, '   ', columns)];
}

function barOf({ named, reading, meter, how, ended }: State): Bar {
  const name = plainLine(named.name).split(/[/\\]/).at(-1) ?? named.id;
  if (ended !== undefined)
    return { name, share: 1, facts: [(reading?.unit ?? BYTES).amount(ended), how ?? ''] };
  if (reading === undefined || meter === undefined) return { name, share: 0, facts: [how ?? ''] };
  const share = Math.min(1, meter.done() / Math.max(1, reading.total ?? 1));
  if (how !== undefined) return { name, share, facts: [how] };
  const rate = rateText(reading, meter);
  return { name, share, facts: [amountText(reading, meter), rate === '' ? reading.phase : rate] };
}

/** `3/75 files, 1 failed`, with the bytes, rate and time left of all that did not fail. */
function totalBar(all: readonly State[]): Bar {
  const count = (wanted: How): number => all.filter(({ how }) => how === wanted).length;
  const lost = (['failed', 'cancelled'] as const).filter((how) => count(how) > 0);
  const rest = all.filter(({ how }) => how === undefined || how === 'completed');
  const sum = (of: (state: State) => number): number => rest.reduce((total, state) => total + of(state), 0);
  const totalOf = ({ named, reading, ended }: State): number | undefined =>
    ended ?? reading?.total ?? named.bytes;
  const isKnown = rest.every((state) => totalOf(state) !== undefined);
  const done = sum(({ ended, meter }) => ended ?? meter?.done() ?? 0);
  const total = sum((state) => totalOf(state) ?? 0);
  const rate = sum(({ how, meter }) => (how === undefined ? (meter?.rate() ?? 0) : 0));
  return {
    name: `${count('completed')}/${all.length} files${lost.map((how) => `, ${count(how)} ${how}`).join('')}`,
    // While sizes are missing, each file counts the same.
    share: isKnown ? done / Math.max(1, total) : count('completed') / Math.max(1, rest.length),
    facts: [
      isKnown ? `${formatBytes(done)} of ${formatBytes(total)}` : formatBytes(done),
      rate > 0 ? `${formatBytes(rate)}/s${isKnown ? leftText(total - done, rate) : ''}` : '',
    ],
  };
}
