import type { LiveProgress } from '../../temporal/upload/client/open-upload';
import { createLiveLines } from '../output/live-lines';
import type { Screen, ScreenSize } from '../output/live-lines';
import { plainLine } from '../output/plain-text';
import { formatBytes } from '../output/units';
import { barLine, nameColumns } from './bar-line';
import type { Bar } from './bar-line';
import { phaseText, rateText } from '../text/progress-text';
import type { ProgressView } from './progress-view';
import { createTotalProgress } from './total-progress';
import type { UploadOfMany } from './total-progress';
import { createTransferMeter, readingOf } from './transfer-meter';
import type { TransferMeter } from './transfer-meter';

interface Shown extends Bar {
  readonly meter: TransferMeter;
  readonly ended: boolean;
}

export interface ProgressOf {
  /** Epoch ms. */
  readonly now: () => number;
  readonly uploads: readonly UploadOfMany[];
}

/** Shows one bar per upload, with rate and time left, and below them one for all. */
export function createProgressBars(screen: Screen, { now, uploads }: ProgressOf): ProgressView {
  const shown = new Map<string, Shown>();
  const total = uploads.length > 1 ? createTotalProgress(uploads) : undefined;
  const live = createLiveLines(screen, (size) => barLines([...shown.values()], total?.bar(), size));
  const set = (file: string, change: Omit<Shown, 'name'>): void => {
    shown.set(file, { name: nameOf(file), ...change });
    live.draw();
  };
  const end = (file: string, bar: Pick<Bar, 'share' | 'facts'>): void => {
    const meter = shown.get(file)?.meter;
    if (meter === undefined) live.draw();
    else set(file, { meter, ended: true, ...bar });
  };
  return {
    show(file, progress) {
      const meter = shown.get(file)?.meter ?? createTransferMeter();
      const reading = readingOf(progress, now());
      meter.add(reading);
      total?.show(file, { at: reading.at, bytes: meter.bytes(), bytesTotal: progress.bytesTotal });
      set(file, { meter, ended: false, ...barOf(progress, meter) });
    },
    say: (text) => live.print(text),
    completed(file, bytes) {
      total?.end(file, { at: now(), bytes });
      end(file, { share: 1, facts: [formatBytes(bytes), 'completed'] });
    },
    failed(file, how) {
      total?.end(file, { at: now(), how });
      end(file, { share: shown.get(file)?.share ?? 0, facts: [how] });
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

/** If not all bars fit, running uploads come first. The total counts the others. */
function barLines(all: readonly Shown[], total: Bar | undefined, { columns, rows }: ScreenSize): string[] {
  const room = total === undefined ? rows : rows - 1;
  const bars: readonly Bar[] = all.length <= room ? all : all.filter(({ ended }) => !ended).slice(0, room);
  const shown = total === undefined ? bars : [...bars, total];
  const nameWidth = nameColumns(
    shown.map(({ name }) => name),
    columns,
  );
  return shown.map((bar) => barLine(bar, { columns, nameWidth }));
}

function nameOf(file: string): string {
  return plainLine(file.split(/[/\\]/).at(-1) ?? file);
}
