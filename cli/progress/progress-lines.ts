import { phaseText, uploadProgressText } from '../text/progress-text';
import type { ProgressView } from './progress-view';
import type { Terminal } from '../output/terminal';
import type { ProgressOf } from './progress-bars';
import { createTotalProgress } from './total-progress';
import { createTransferMeter, type TransferMeter, readingOf, standstillOf } from './transfer-meter';

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
  return {
    show(file, progress) {
      const before = shown.get(file);
      const meter = before?.meter ?? createTransferMeter();
      const at = now();
      meter.add(readingOf(progress, at));
      const bytes = meter.bytes();
      const phase = `${phaseText(progress)} ${standstillOf(progress, meter) ?? ''}`;
      const isDue = before === undefined || (at - before.at >= LINE_EVERY_MS && bytes !== before.bytes);
      if (!isDue && phase === before.phase) return;
      shown.set(file, { meter, at, phase, bytes });
      terminal.note(uploadProgressText(file, progress, meter));
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
    show(file, progress) {
      const meter = meters.get(file) ?? createTransferMeter();
      meters.set(file, meter);
      const { at, ...reading } = readingOf(progress, now());
      meter.add({ at, ...reading });
      total.show(file, { at, bytes: meter.bytes(), bytesTotal: progress.bytesTotal });
      print(at);
    },
    say: (text) => terminal.note(text),
    completed: (file, bytes) => total.end(file, { at: now(), bytes }),
    failed: (file, how) => total.end(file, { at: now(), how }),
    close: () => undefined,
  };
}
