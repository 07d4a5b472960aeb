import type { BatchCounts } from '../../temporal/batch/types';
import { createLiveLines } from '../output/live-lines';
import type { Screen, ScreenSize } from '../output/live-lines';
import { plainLine } from '../output/plain-text';
import { packRows, textWidth } from '../output/text-width';
import { formatBytes, formatCount } from '../output/units';
import { barLine, nameColumns } from '../progress/bar-line';
import { createBatchMeter, rowsOver } from './batch-meter';
import { batchPhaseText, batchRateText } from '../text/batch-text';
import { sayingView } from './batch-view';
import type { BatchView, BatchViewChoice } from './batch-view';

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
