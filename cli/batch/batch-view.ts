import { shownWait } from '../../api/advice';
import { CLI_WORDS } from '../errors/cli-words';
import { given } from '../../api/json';
import { adviceText } from '../errors/what-to-do';
import type { LiveBatch } from '../../temporal/client/batch/batch-handle';
import type { WaitReason } from '../../temporal/client/wait-reason';
import type { BatchCounts } from '../../temporal/contract/batch';
import { plainLine } from '../output/plain-text';
import { waitReasonLines } from '../text/wait-text';
import type { Terminal } from '../output/terminal';
import { createBatchBars } from './batch-bars';
import { createBatchMeter } from './batch-meter';
import { batchProgressText, batchPhaseText } from '../text/batch-text';

/** Shortest time between two lines in the same phase. */
const LINE_EVERY_MS = 5_000;
export const ANSWERS_AGAIN = 'Temporal and the workers answer again.';

/** Shows the progress of a batch. */
export interface BatchView {
  readonly show: (progress: LiveBatch) => Promise<void>;
  /** Shows why there is no progress to show: no worker answers. */
  readonly waiting: (waitReason: WaitReason) => Promise<void>;
  /** Marks what is shown as old, until something new is shown. */
  readonly stale: () => void;
  /** Says that answers return, before the first of them is shown. What is shown no longer counts as old. */
  readonly answersAgain: () => void;
  /** Shows a line that is not progress, such as that nobody works on the batch. */
  readonly say: (text: string) => void;
  /** The batch as a whole ended well. */
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

/**
 * Shows a bar and a row of numbers on a terminal, plain lines elsewhere. With `--json`, it prints one object per line
 * on stdout whenever something changed.
 */
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
      // The same progress twice would look to a meter like standing still.
      if (progress === last && !isOld) return;
      isOld = false;
      last = progress;
      await view.show(progress);
      const { waitReason } = progress;
      const hint = adviceText(waitReason);
      if (waitReason !== undefined && hint !== undefined && hint !== hinted) {
        // A bar shows the reason only while it lasts. A plain line with it stays.
        if (terminal.screen !== undefined && !choice.json) await view.waiting(waitReason);
        else view.say(`What to do: ${plainLine(hint)}`);
      }
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
      const { phase, batchId, round, counts, pages, pagesDone, pausedBecause } = progress;
      const waitReason = shownWait(CLI_WORDS, progress.waitReason);
      const facts = {
        batchId,
        phase,
        round,
        counts,
        pages,
        pagesDone,
        ...given({ pausedBecause, waitReason }),
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
    async waiting(waitReason) {
      last = '';
      await terminal.json({ batchId: batch, waitReason: shownWait(CLI_WORDS, waitReason) });
    },
    stale: () => {
      last = '';
    },
    answersAgain: () => undefined,
    say: () => undefined,
    ended: () => undefined,
    close: () => undefined,
  };
}

function waitingText(waitReason: WaitReason): string {
  return waitReasonLines(waitReason).map(plainLine).join(' ');
}

function createBatchLines(terminal: Terminal, { batch, now }: BatchViewChoice): BatchView {
  const meter = createBatchMeter();
  let shown: { readonly at: number; readonly phase: string; readonly line: string } | undefined;
  return {
    show(progress) {
      const at = now();
      meter.add({ at, counts: progress.counts });
      const phase = batchPhaseText(progress);
      const line = batchProgressText(batch, progress, meter);
      const isDue = shown === undefined || (at - shown.at >= LINE_EVERY_MS && line !== shown.line);
      if (isDue || phase !== shown?.phase) {
        shown = { at, phase, line };
        terminal.note(line);
      }
      return Promise.resolve();
    },
    waiting(waitReason) {
      terminal.note(waitingText(waitReason));
      return Promise.resolve();
    },
    stale: () => undefined,
    answersAgain: () => terminal.note(ANSWERS_AGAIN),
    say: (text) => terminal.note(text),
    ended: () => undefined,
    close: () => undefined,
  };
}
