import type { WaitReason } from '../../temporal/client/wait-reason';
import { formatBytes, formatCount, formatSpan, plainLine } from '../output/plain-text';
import { createLiveLines } from '../output/terminal';
import type { ScreenSize, Terminal } from '../output/terminal';

/** What is counted: bytes of an upload, or rows of a batch. */
interface Unit {
  readonly amount: (count: number) => string;
  readonly rate: (perSecond: number) => string;
  /** Period of the rate, ms: long enough to even out what ends together. */
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
  /** Unset: not known before its source is read. */
  readonly total?: number | undefined;
  /** Further numbers: `6 of 15 parts`. */
  readonly facts: readonly string[];
  /** Time of the newest heartbeat, by any clock. Unset: no heartbeat is due. */
  readonly heartbeatAt?: number | undefined;
  readonly waitsForSlot?: boolean | undefined;
  readonly waitReason?: WaitReason | undefined;
  /** A sentence that is said once. */
  readonly warning?: string | undefined;
}

/** An upload or a batch, as the user knows it. */
export interface Named {
  /** Its workflow. Two uploads may have the same file name. */
  readonly id: string;
  readonly name: string;
}

type How = 'completed' | 'failed' | 'cancelled' | 'ended';

/** Shows the progress of uploads or of a batch. */
export interface ProgressView {
  readonly show: (id: string, reading: Reading) => void;
  /** Shows a line that is not progress, such as an end or that nobody works on it. */
  readonly say: (text: string) => void;
  readonly end: (id: string, how: How) => void;
  readonly close: () => void;
}

/** More uploads than this share one line of a log. */
const MAX_LINES = 5;
/** Shortest time between two lines of a log about the same in the same phase. */
const LINE_EVERY_MS = 5_000;

/**
 * Chooses bars on a terminal. Elsewhere it writes plain lines: one when the phase or the reason of a standstill changes,
 * else one every five seconds at most. With `--json` it shows nothing. `now`: epoch ms.
 */
export function chooseProgressView(
  terminal: Terminal,
  { now, all }: { now: () => number; all: readonly Named[] },
): ProgressView {
  const running = new Map(all.map(({ id, name }) => [id, new Progress(name)]));
  const ends: How[] = [];
  const totalText = (): string => {
    const lost = (['failed', 'cancelled'] as const)
      .map((how) => [how, ends.filter((end) => end === how).length] as const)
      .flatMap(([how, count]) => (count === 0 ? [] : [`, ${count} ${how}`]));
    return `${ends.filter((end) => end === 'completed').length}/${all.length} files${lost.join('')}`;
  };
  const add = (id: string, reading: Reading): Progress | undefined => {
    const progress = running.get(id);
    progress?.add(reading, now());
    return progress;
  };
  if (terminal.screen !== undefined) {
    const live = createLiveLines(terminal.screen, (size) => [
      ...barLines([...running.values()], { ...size, rows: size.rows - 1 }),
      ...(all.length > 1 ? [totalText()] : []),
    ]);
    return {
      show(id, reading) {
        add(id, reading);
        live.draw();
      },
      say: (text) => live.print(text),
      end(id, how) {
        running.delete(id);
        ends.push(how);
        live.draw();
      },
      close: () => live.draw(),
    };
  }
  const lines = new Map<string, { readonly at: number; readonly phase: string; readonly text: string }>();
  const write = (id: string, phase: string, text: string): void => {
    const before = lines.get(id);
    const at = now();
    const isDue = before === undefined || (at - before.at >= LINE_EVERY_MS && text !== before.text);
    if (!isDue && phase === before.phase) return;
    lines.set(id, { at, phase, text });
    terminal.note(text);
  };
  return {
    show(id, reading) {
      const progress = add(id, reading);
      if (progress !== undefined && all.length <= MAX_LINES) write(id, progress.phaseText, progress.text);
    },
    say: (text) => terminal.note(text),
    end(_id, how) {
      ends.push(how);
      if (all.length > MAX_LINES) write('', '', totalText());
    },
    close: () => undefined,
  };
}

const BAR_COLUMNS = 20;
/** A narrower terminal shows no bar, because the numbers need the room. */
const MIN_COLUMNS = 60;

function barLines(all: readonly Progress[], { columns, rows }: ScreenSize): string[] {
  return all
    .filter(({ begun }) => begun)
    .slice(0, rows)
    .map(({ share, text }) => {
      const filled = Math.floor(share * BAR_COLUMNS);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_COLUMNS - filled)}  `;
      return columns < MIN_COLUMNS ? text : bar + text;
    });
}

/** Parts that move or wait send a heartbeat each second. */
const NO_NEWS_AFTER_MS = 10_000;

/** The progress of one upload or batch. What a failed try loses makes it pause, but never go back. */
export class Progress {
  private reading: Reading | undefined;
  private points: { readonly at: number; readonly done: number }[] = [];
  private done = 0;
  private now = 0;
  private movedAt = 0;
  private heartbeatSeenAt = 0;

  constructor(private readonly name: string) {}

  /** `at`: epoch ms. */
  add(reading: Reading, at: number): void {
    const { done, moves, heartbeatAt, unit } = reading;
    if (this.reading === undefined || done > this.done) this.movedAt = at;
    if (heartbeatAt === undefined || heartbeatAt !== this.reading?.heartbeatAt) this.heartbeatSeenAt = at;
    this.reading = reading;
    this.now = at;
    this.done = Math.max(this.done, done);
    // What was done before says nothing about the speed.
    const kept = moves ? this.points.filter((point) => at - point.at <= unit.periodMs) : [];
    this.points = [...kept, { at, done: this.done }];
  }

  get begun(): boolean {
    return this.reading !== undefined;
  }

  /** From 0 to 1. */
  get share(): number {
    return Math.min(1, this.done / Math.max(1, this.reading?.total ?? 1));
  }

  /** It changes with the phase and the reason of a standstill. */
  get phaseText(): string {
    return `${this.reading?.phase ?? ''} ${this.standstill ?? ''}`;
  }

  /** `clip.mp4: uploading, 41%, 123.0 MB of 300.0 MB, 6 of 15 parts, 94.4 MB/s, 2 s left`. */
  get text(): string {
    if (this.reading === undefined) return plainLine(this.name);
    const { unit, total = 0, phase, facts } = this.reading;
    const amount = `${unit.amount(this.done)} of ${unit.amount(total)}`;
    const amounts = total === 0 ? [] : [`${Math.floor(100 * this.share)}%`, amount];
    const known = [phase, ...amounts, ...facts, this.standstill ?? this.rateText(unit, total)];
    return `${plainLine(this.name)}: ${known.filter((fact) => fact !== '').join(', ')}`;
  }

  /** Why nothing moves, for what has not moved for some time. */
  private get standstill(): string | undefined {
    if (this.reading?.moves !== true) return undefined;
    const { unit, waitReason, waitsForSlot } = this.reading;
    if (this.now - this.heartbeatSeenAt >= NO_NEWS_AFTER_MS) return 'no news from its worker';
    if (this.now - this.movedAt < unit.stillMs) return undefined;
    // The reason has its own line.
    if (waitReason !== undefined) return 'waiting';
    return waitsForSlot === true ? 'waiting for a slot' : undefined;
  }

  /** `94.4 MB/s, 3 s left`; empty if nothing moves. */
  private rateText(unit: Unit, total: number): string {
    const [first, last] = [this.points.at(0), this.points.at(-1)];
    if (first === undefined || last === undefined || last.at <= first.at) return '';
    const rate = ((last.done - first.done) * 1000) / (last.at - first.at);
    if (rate <= 0 || this.now - this.movedAt >= unit.stillMs) return '';
    const left = total - this.done;
    return `${unit.rate(rate)}${left > 0 ? `, ${formatSpan((left * 1000) / rate)} left` : ''}`;
  }
}
