import type { LiveProgress } from '../../temporal/client/upload-handle';
import { createLiveLines, type Screen, type ScreenSize } from '../output/live-lines';
import { plainLine } from '../output/plain-text';
import { formatBytes } from '../output/units';
import { barLine, nameColumns, type Bar } from './bar-line';
import { phaseText, rateText, readingOf } from './progress-text';
import type { ProgressView } from './progress-view';
import { createTransferMeter, type TransferMeter } from './transfer-meter';

interface Shown extends Bar {
  readonly meter: TransferMeter;
  readonly completed: boolean;
}

/** One bar per upload, with rate and time left. */
export function createProgressBars(screen: Screen, now: () => number): ProgressView {
  const shown = new Map<string, Shown>();
  const live = createLiveLines(screen, (size) => barLines([...shown.values()], size));
  const set = (file: string, change: Omit<Shown, 'name'>): void => {
    shown.set(file, { name: nameOf(file), ...change });
    live.draw();
  };
  return {
    show(file, progress) {
      const meter = shown.get(file)?.meter ?? createTransferMeter();
      meter.add(readingOf(progress, now()));
      set(file, { meter, completed: false, ...barOf(progress, meter) });
    },
    say: (text) => live.print(text),
    completed(file, bytes) {
      const meter = shown.get(file)?.meter;
      if (meter === undefined) return;
      set(file, { meter, completed: true, share: 1, facts: [formatBytes(bytes), 'completed'] });
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

/** Where not all fit, those that run come first, and a line counts the others. */
function barLines(all: readonly Shown[], { columns, rows }: ScreenSize): string[] {
  const fit = all.length <= rows;
  const running = all.filter(({ completed }) => !completed);
  const bars = fit ? all : running.slice(0, rows - 1);
  const nameWidth = nameColumns(
    bars.map(({ name }) => name),
    columns,
  );
  const lines = bars.map((bar) => barLine(bar, { columns, nameWidth }));
  if (fit) return lines;
  const over = all.length - running.length;
  return [...lines, `${running.length - bars.length} more, ${over} completed`];
}

function nameOf(file: string): string {
  return plainLine(file.split(/[/\\]/).at(-1) ?? file);
}
