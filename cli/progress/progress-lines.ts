import { phaseText, progressLine, readingOf, standstillOf } from './progress-text';
import type { ProgressView } from './progress-view';
import type { Terminal } from '../output/terminal';
import { createTransferMeter, type TransferMeter } from './transfer-meter';

/** Shortest time between two lines about one upload whose phase stays. */
const LINE_EVERY_MS = 5_000;

interface Shown {
  readonly meter: TransferMeter;
  readonly at: number;
  readonly phase: string;
  readonly bytes: number;
}

/** Progress as lines for logs: one when the phase or the reason of a standstill changes, else one every five seconds while bytes move. */
export function createProgressLines(terminal: Terminal, now: () => number): ProgressView {
  const shown = new Map<string, Shown>();
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
      terminal.note(progressLine(file, progress, meter));
    },
    say(text) {
      terminal.note(text);
    },
    completed: () => undefined,
    close: () => undefined,
  };
}
