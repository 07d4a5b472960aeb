import type { LiveBatch } from '../../temporal/client/batch/batch-handle';
import type { HeldUp } from '../../temporal/client/held-up-by';
import type { BatchCounts } from '../../temporal/contract/batch';
import { plainLine } from '../output/plain-text';
import { heldUpLines } from '../output/held-up-lines';
import type { Terminal } from '../output/terminal';
import { createBatchBars } from './batch-bars';
import { createBatchMeter } from './batch-meter';
import { batchLine, batchPhaseText } from './batch-text';

/** Shortest time between two lines while the phase stays. */
const LINE_EVERY_MS = 5_000;

/** Shows how a batch goes on. */
export interface BatchView {
  readonly show: (progress: LiveBatch) => Promise<void>;
  /** Why nothing can be shown for now: no worker answers. */
  readonly waiting: (heldUp: HeldUp) => Promise<void>;
  /** What is shown is old from now on, until something is shown again. */
  readonly stale: () => void;
  /** A line that is no progress: that nobody works on it. */
  readonly say: (text: string) => void;
  /** It has ended well as a batch. */
  readonly ended: (counts: BatchCounts) => void;
  readonly close: () => void;
}

export interface BatchViewChoice {
  /** As the user knows it. */
  readonly batch: string;
  readonly json: boolean;
  /** Epoch ms. */
  readonly now: () => number;
}

/** A bar and a row of numbers on a terminal, plain lines elsewhere; with `--json` one object a line on stdout whenever something changed. */
export function createBatchView(terminal: Terminal, choice: BatchViewChoice): BatchView {
  const view = viewOf(terminal, choice);
  let last: LiveBatch | undefined;
  let hinted: string | undefined;
  let isOld = false;
  return {
    ...view,
    stale() {
      isOld = true;
      view.stale();
    },
    async show(progress) {
      // Told again what is known already, a meter would take it for standing still.
      if (progress === last && !isOld) return;
      isOld = false;
      last = progress;
      await view.show(progress);
      const hint = progress.heldUpBy?.hint;
      if (hint !== undefined && hint !== hinted) view.say(`What to do: ${plainLine(hint)}`);
      hinted = hint;
    },
  };
}

function viewOf(terminal: Terminal, choice: BatchViewChoice): BatchView {
  if (choice.json) return createBatchJson(terminal, choice);
  return terminal.screen === undefined
    ? createBatchLines(terminal, choice)
    : createBatchBars(terminal.screen, choice);
}

function createBatchJson(terminal: Terminal, { batch, now }: BatchViewChoice): BatchView {
  const meter = createBatchMeter();
  let last = '';
  return {
    async show(progress) {
      meter.add({ at: now(), counts: progress.counts });
      const { phase, batchId, round, counts, pages, pagesDone, pausedBecause, heldUpBy } = progress;
      const facts = {
        batchId,
        phase,
        round,
        counts,
        pages,
        pagesDone,
        ...(pausedBecause === undefined ? {} : { pausedBecause }),
        ...(heldUpBy === undefined ? {} : { heldUpBy }),
      };
      if (JSON.stringify(facts) === last) return;
      last = JSON.stringify(facts);
      const [rowsPerSecond, leftMs] = [meter.rowsPerSecond(), meter.leftMs()];
      await terminal.json({
        ...facts,
        ...(rowsPerSecond === undefined ? {} : { rowsPerSecond }),
        ...(leftMs === undefined ? {} : { leftMs: Math.round(leftMs) }),
      });
    },
    async waiting(heldUpBy) {
      last = '';
      await terminal.json({ batchId: batch, heldUpBy });
    },
    stale: () => {
      last = '';
    },
    say: () => undefined,
    ended: () => undefined,
    close: () => undefined,
  };
}

function waitingText(heldUp: HeldUp): string {
  return heldUpLines(heldUp).map(plainLine).join(' ');
}

function createBatchLines(terminal: Terminal, { batch, now }: BatchViewChoice): BatchView {
  const meter = createBatchMeter();
  let shown: { readonly at: number; readonly phase: string; readonly line: string } | undefined;
  return {
    show(progress) {
      const at = now();
      meter.add({ at, counts: progress.counts });
      const phase = batchPhaseText(progress);
      const line = batchLine(batch, progress, meter);
      const isDue = shown === undefined || (at - shown.at >= LINE_EVERY_MS && line !== shown.line);
      if (isDue || phase !== shown?.phase) {
        shown = { at, phase, line };
        terminal.note(line);
      }
      return Promise.resolve();
    },
    waiting(heldUp) {
      terminal.note(waitingText(heldUp));
      return Promise.resolve();
    },
    stale: () => undefined,
    say: (text) => terminal.note(text),
    ended: () => undefined,
    close: () => undefined,
  };
}
