import type { LiveBatch } from '../../temporal/batch/client/open-batch';
import type { WaitReason } from '../../temporal/client/wait-reason';
import type { BatchCounts } from '../../temporal/batch/types';
import { formatBytes, formatCount, plainLine } from '../output/plain-text';
import { adviceText, waitReasonLines } from '../errors/what-to-do';
import { shownWait } from '../../api/advice';
import { CLI_WORDS } from '../errors/cli-words';
import { given } from '../../api/json';
import { createLiveLines } from '../output/terminal';
import type { Screen, ScreenSize, Terminal } from '../output/terminal';
import { batchPhaseText, batchProgressText, batchRateText, createBatchMeter, rowsOver } from './batch-text';
import { packRows, textWidth } from '../output/text-width';
import { barLine, nameColumns } from '../progress/total-progress';

/** Shows the progress of a batch. */
export interface BatchView {
  show(progress: LiveBatch): Promise<void> | void;
  /** Shows why there is no progress to show: no worker answers. */
  waiting(waitReason: WaitReason): Promise<void> | void;
  /** Marks what is shown as old, until something new is shown. */
  stale(): void;
  /** Says that answers return, before the first of them is shown. What is shown no longer counts as old. */
  answersAgain(): void;
  /** Shows a line that is not progress, such as that nobody works on the batch. */
  say(text: string): void;
  /** The batch as a whole ended well. */
  ended(counts: BatchCounts): void;
  close(): void;
}

/** A view that shows all news as lines of text, and nothing else. */
function sayingView(say: (text: string) => void): Omit<BatchView, 'show'> {
  const nothing = (): void => undefined;
  return {
    say,
    waiting: (waitReason) => say(waitReasonLines(waitReason).map(plainLine).join(' ')),
    answersAgain: () => say('Temporal and the workers answer again.'),
    ...{ stale: nothing, ended: nothing, close: nothing },
  };
}

interface BatchViewChoice {
  /** As the user knows it. */
  readonly batch: string;
  readonly json: boolean;
  /** Epoch ms. */
  readonly now: () => number;
}

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

interface Shown {
  readonly counts: BatchCounts;
  readonly phase: string;
  readonly rate: string;
}

/** Shows a bar, with a row of numbers below it. */
export function createBatchBars(screen: Screen, { batch, now }: BatchViewChoice): BatchView {
  const meter = createBatchMeter();
  let shown: Shown | undefined;
  let beforeStale: Shown | undefined;
  const live = createLiveLines(screen, (size) =>
    shown === undefined ? [] : batchLines(plainLine(batch), shown, size),
  );
  const set = (change: Shown): void => {
    shown = change;
    live.draw();
  };
  const saying = sayingView((text) => live.print(text));
  return {
    ...saying,
    show(progress) {
      beforeStale = undefined;
      const { counts } = progress;
      meter.add({ at: now(), counts });
      set({ counts, phase: batchPhaseText(progress), rate: batchRateText(progress, meter) });
    },
    stale() {
      if (shown === undefined) return;
      beforeStale ??= shown;
      set({ ...shown, phase: 'old figures: no answer', rate: '' });
    },
    answersAgain() {
      shown = beforeStale ?? shown;
      beforeStale = undefined;
      saying.answersAgain();
    },
    ended: (counts) => set({ counts, phase: 'ended', rate: '' }),
    close: () => live.close(),
  };
}

/** The numbers, and a phase with a long reason, wrap below the bar instead of being cut. */
function batchLines(name: string, { counts, phase, rate }: Shown, { columns }: ScreenSize): string[] {
  const share = Math.min(1, rowsOver(counts) / Math.max(1, counts.rows));
  const layout = { columns, nameWidth: nameColumns([name], columns) };
  const bar = (facts: readonly string[]): string => barLine({ name, share, facts }, layout);
  const isShort = textWidth(`${bar([])}  ${phase}`) <= columns;
  return [
    bar(isShort ? [phase] : []),
    ...(isShort ? [] : packRows(phase.split(' '), ' ', columns)),
    ...packRows(cellsOf(counts, rate), '   ', columns),
  ];
}

function cellsOf({ rows, completed, running, failed, waiting, bytes }: BatchCounts, rate: string): string[] {
  return [
    `done ${formatCount(completed)} of ${formatCount(rows)}`,
    `running ${formatCount(running)}`,
    `failed ${formatCount(failed)}`,
    `waiting ${formatCount(waiting)}`,
    `bytes ${formatBytes(bytes)}`,
    rate,
  ].filter((cell) => cell !== '');
}
