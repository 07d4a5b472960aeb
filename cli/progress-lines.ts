import { bytesSoFar, phaseText, progressLine } from './progress-text';
import type { ProgressView } from './progress-view';
import type { Terminal } from './terminal';
import { createRateMeter, type RateMeter } from './transfer-rate';

/** Shortest time between two lines about one upload whose phase stays. */
const LINE_EVERY_MS = 5_000;

interface Shown {
  readonly meter: RateMeter;
  readonly at: number;
  readonly phase: string;
  readonly bytes: number;
}

/** Progress as lines for logs: one when the phase changes, else one every five seconds while bytes move. */
export function createProgressLines(terminal: Terminal, now: () => number): ProgressView {
  const shown = new Map<string, Shown>();
  return {
    show(file, progress) {
      const before = shown.get(file);
      const meter = before?.meter ?? createRateMeter();
      const at = now();
      const bytes = bytesSoFar(progress);
      const phase = phaseText(progress);
      meter.add(at, bytes);
      const isDue = before === undefined || (at - before.at >= LINE_EVERY_MS && bytes !== before.bytes);
      if (!isDue && phase === before.phase) return;
      shown.set(file, { meter, at, phase, bytes });
      terminal.note(progressLine(file, progress, meter.rate()));
    },
    say(text) {
      terminal.note(text);
    },
    end(_file, text) {
      terminal.note(text);
    },
    close: () => undefined,
  };
}
