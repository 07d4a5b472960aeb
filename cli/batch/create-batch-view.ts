import { shownWait } from '../../api/advice';
import { CLI_WORDS } from '../errors/cli-words';
import { given } from '../../api/json';
import { adviceText } from '../errors/what-to-do';
import type { LiveBatch } from '../../temporal/batch/client/open-batch';
import { plainLine } from '../output/plain-text';
import type { Terminal } from '../output/terminal';
import { createBatchBars } from './batch-bars';
import { createBatchMeter } from './batch-meter';
import { sayingView } from './batch-view';
import type { BatchView, BatchViewChoice } from './batch-view';
import { batchPhaseText, batchProgressText } from '../text/batch-text';

/** Shortest time between two lines in the same phase. */
const LINE_EVERY_MS = 5_000;

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
    ...sayingView(() => undefined),
    async show(progress) {
      meter.add({ at: now(), counts: progress.counts });
      const { phase, batchId, round, counts, pages, pagesDone, pausedBecause } = progress;
      const waitReason = shownWait(CLI_WORDS, progress.waitReason);
      const known = { batchId, phase, round, counts, pages, pagesDone };
      const facts = { ...known, ...given({ pausedBecause, waitReason }) };
      if (JSON.stringify(facts) === last) return;
      last = JSON.stringify(facts);
      const leftMs = meter.leftMs();
      await terminal.json({
        ...facts,
        ...given({ rowsPerSecond: meter.rowsPerSecond(), leftMs: leftMs && Math.round(leftMs) }),
      });
    },
    async waiting(waitReason) {
      last = '';
      await terminal.json({ batchId: batch, waitReason: shownWait(CLI_WORDS, waitReason) });
    },
    stale: () => {
      last = '';
    },
  };
}

function createBatchLines(terminal: Terminal, { batch, now }: BatchViewChoice): BatchView {
  const meter = createBatchMeter();
  let shown: { readonly at: number; readonly phase: string; readonly line: string } | undefined;
  return {
    ...sayingView((text) => terminal.note(text)),
    show(progress) {
      const at = now();
      meter.add({ at, counts: progress.counts });
      const phase = batchPhaseText(progress);
      const line = batchProgressText(batch, progress, meter);
      const isDue = shown === undefined || (at - shown.at >= LINE_EVERY_MS && line !== shown.line);
      if (!isDue && phase === shown?.phase) return;
      shown = { at, phase, line };
      terminal.note(line);
    },
  };
}
