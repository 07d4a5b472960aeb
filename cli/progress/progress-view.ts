import type { LiveProgress } from '../../temporal/upload/client/open-upload';
import { createLiveLines } from '../output/terminal';
import type { Screen, ScreenSize, Terminal } from '../output/terminal';
import {
  barLine,
  createTotalProgress,
  createTransferMeter,
  nameColumns,
  readingOf,
  standstillOf,
} from './total-progress';
import type { Bar, TransferMeter, UploadOfMany } from './total-progress';
import { formatBytes, formatSpan, plainLine } from '../output/plain-text';

/** Shows the progress of uploads, only on stderr. */
export interface ProgressView {
  readonly show: (id: string, progress: LiveProgress) => void;
  /** Shows a line about one upload that is not progress, such as its end or that nobody works on it. */
  readonly say: (text: string) => void;
  /** An upload of this many bytes ended well. */
  readonly completed: (id: string, bytes: number) => void;
  /** An upload ended in another way: in this one. */
  readonly failed: (id: string, how: 'failed' | 'cancelled') => void;
  readonly close: () => void;
}

const SILENT: ProgressView = {
  show: () => undefined,
  say: () => undefined,
  completed: () => undefined,
  failed: () => undefined,
  close: () => undefined,
};

interface ViewChoice {
  readonly json: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  readonly uploads: readonly UploadOfMany[];
}

/** Chooses bars on a terminal and plain lines elsewhere. With `--json` and without a terminal, it shows nothing. */
export function chooseProgressView(terminal: Terminal, { json, now, uploads }: ViewChoice): ProgressView {
  if (terminal.screen !== undefined) return createProgressBars(terminal.screen, { now, uploads });
  return json ? SILENT : createProgressLines(terminal, { now, uploads });
}

interface Shown extends Bar {
  readonly meter: TransferMeter;
  readonly ended: boolean;
}

interface ProgressOf {
  /** Epoch ms. */
  readonly now: () => number;
  readonly uploads: readonly UploadOfMany[];
}

/** Shows one bar per upload, with rate and time left, and below them one for all. */
export function createProgressBars(screen: Screen, { now, uploads }: ProgressOf): ProgressView {
  const shown = new Map<string, Shown>();
  const total = uploads.length > 1 ? createTotalProgress(uploads) : undefined;
  const live = createLiveLines(screen, (size) => barLines([...shown.values()], total?.bar(), size));
  const names = namesOf(uploads);
  const set = (id: string, change: Omit<Shown, 'name'>): void => {
    shown.set(id, { name: names(id).split(/[/\\]/).at(-1) ?? id, ...change });
    live.draw();
  };
  const end = (id: string, bar: Pick<Bar, 'share' | 'facts'>): void => {
    const meter = shown.get(id)?.meter;
    if (meter === undefined) live.draw();
    else set(id, { meter, ended: true, ...bar });
  };
  return {
    show(id, progress) {
      const meter = shown.get(id)?.meter ?? createTransferMeter();
      const reading = readingOf(progress, now());
      meter.add(reading);
      total?.show(id, { at: reading.at, bytes: meter.bytes(), bytesTotal: progress.bytesTotal });
      set(id, { meter, ended: false, ...barOf(progress, meter) });
    },
    say: (text) => live.print(text),
    completed(id, bytes) {
      total?.end(id, { at: now(), bytes });
      end(id, { share: 1, facts: [formatBytes(bytes), 'completed'] });
    },
    failed(id, how) {
      total?.end(id, { at: now(), how });
      end(id, { share: shown.get(id)?.share ?? 0, facts: [how] });
    },
    close: () => live.close(),
  };
}

function barOf(progress: LiveProgress, meter: TransferMeter): Omit<Bar, 'name'> {
  const { bytesTotal } = progress;
  const bytes = meter.bytes();
  const sent = bytesTotal === undefined ? '' : `${formatBytes(bytes)} of ${formatBytes(bytesTotal)}`;
  const rate = rateText(progress, meter);
  return {
    share: Math.min(1, bytes / Math.max(1, bytesTotal ?? 1)),
    facts: [sent, rate === '' ? phaseText(progress) : rate],
  };
}

/** If not all bars fit, running uploads come first. The total counts the others. */
function barLines(all: readonly Shown[], total: Bar | undefined, { columns, rows }: ScreenSize): string[] {
  const room = total === undefined ? rows : rows - 1;
  const bars: readonly Bar[] = all.length <= room ? all : all.filter(({ ended }) => !ended).slice(0, room);
  const shown = total === undefined ? bars : [...bars, total];
  const nameWidth = nameColumns(
    shown.map(({ name }) => name),
    columns,
  );
  return shown.map((bar) => barLine(bar, { columns, nameWidth }));
}

/** Returns a function for the user's name of an upload. */
function namesOf(uploads: readonly UploadOfMany[]): (id: string) => string {
  const names = new Map(uploads.map(({ id, file }) => [id, plainLine(file)]));
  return (id) => names.get(id) ?? id;
}

/** More uploads than this share one line. */
const MAX_LINES = 5;
/** Shortest time between two lines about one upload in the same phase. */
const LINE_EVERY_MS = 5_000;

interface LastLine {
  readonly meter: TransferMeter;
  readonly at: number;
  readonly phase: string;
  readonly bytes: number;
}

/**
 * Shows progress as lines for logs: one when the phase or the reason of a standstill changes, else one every five
 * seconds while bytes move.
 */
export function createProgressLines(terminal: Terminal, { now, uploads }: ProgressOf): ProgressView {
  if (uploads.length > MAX_LINES) return createTotalLines(terminal, { now, uploads });
  const shown = new Map<string, LastLine>();
  const names = namesOf(uploads);
  return {
    show(id, progress) {
      const before = shown.get(id);
      const meter = before?.meter ?? createTransferMeter();
      const at = now();
      meter.add(readingOf(progress, at));
      const bytes = meter.bytes();
      const phase = `${phaseText(progress)} ${standstillOf(progress, meter) ?? ''}`;
      const isDue = before === undefined || (at - before.at >= LINE_EVERY_MS && bytes !== before.bytes);
      if (!isDue && phase === before.phase) return;
      shown.set(id, { meter, at, phase, bytes });
      terminal.note(uploadProgressText(names(id), progress, meter));
    },
    say(text) {
      terminal.note(text);
    },
    completed: () => undefined,
    failed: () => undefined,
    close: () => undefined,
  };
}

/** Shows `3 of 75 files, 41%, 1.2 GB of 3.0 GB, 94.4 MB/s, 12 s left`, every five seconds while something changes. */
function createTotalLines(terminal: Terminal, { now, uploads }: ProgressOf): ProgressView {
  const total = createTotalProgress(uploads);
  const meters = new Map<string, TransferMeter>();
  let shown: { readonly at: number; readonly line: string } | undefined;
  const print = (at: number): void => {
    const { name, share, facts } = total.bar();
    const known = [name, `${Math.floor(share * 100)}%`, ...facts];
    const line = known.filter((fact) => fact !== '').join(', ');
    if (shown !== undefined && (at - shown.at < LINE_EVERY_MS || line === shown.line)) return;
    shown = { at, line };
    terminal.note(line);
  };
  return {
    show(id, progress) {
      const meter = meters.get(id) ?? createTransferMeter();
      meters.set(id, meter);
      const { at, ...reading } = readingOf(progress, now());
      meter.add({ at, ...reading });
      total.show(id, { at, bytes: meter.bytes(), bytesTotal: progress.bytesTotal });
      print(at);
    },
    say: (text) => terminal.note(text),
    completed: (id, bytes) => total.end(id, { at: now(), bytes }),
    failed: (id, how) => total.end(id, { at: now(), how }),
    close: () => undefined,
  };
}

/** Returns what an upload is doing, in one or two words. */
export function phaseText({ phase, paused, sessionStatus }: LiveProgress): string {
  if (paused && phase === 'uploading') return 'paused';
  return phase === 'processing' && sessionStatus !== undefined
    ? `processing (${plainLine(sessionStatus)})`
    : phase;
}

/**
 * `94.4 MB/s, 3 s left`, `waiting for a slot`, or `no news for 12 s` once heartbeats are missing; empty if there is
 * nothing to report.
 */
export function rateText(progress: LiveProgress, meter: TransferMeter): string {
  if (progress.phase !== 'uploading' || progress.paused) return '';
  const standstill = standstillOf(progress, meter);
  if (standstill === 'no news') return `no news for ${formatSpan(meter.silentMs())}`;
  if (standstill !== undefined) return standstill;
  const rate = meter.rate();
  if (rate === undefined || rate <= 0) return '';
  const left = (progress.bytesTotal ?? 0) - meter.bytes();
  const end = left > 0 ? `, ${formatSpan((left * 1000) / rate)} left` : '';
  return `${formatBytes(rate)}/s${end}`;
}

/** One line with everything: `clip.mp4: uploading, 41% (123.0 MB of 300.0 MB), 6 of 15 parts, 94.4 MB/s, 2 s left`. */
export function uploadProgressText(file: string, progress: LiveProgress, meter: TransferMeter): string {
  const { bytesTotal, partsDone, partsTotal, retries } = progress;
  const bytes = meter.bytes();
  const facts = [
    phaseText(progress),
    bytesTotal === undefined || bytesTotal === 0
      ? ''
      : `${Math.floor((bytes * 100) / bytesTotal)}% (${formatBytes(bytes)} of ${formatBytes(bytesTotal)})`,
    partsTotal === undefined ? '' : `${partsDone} of ${partsTotal} parts`,
    rateText(progress, meter),
    retries === 0 ? '' : `${retries} ${retries === 1 ? 'retry' : 'retries'}`,
  ];
  return `${plainLine(file)}: ${facts.filter((fact) => fact !== '').join(', ')}`;
}
