import type { Writable } from 'node:stream';
import type { SingleBar } from 'cli-progress';
import { plainLine } from '../output/plain-text';
import { bytesSoFar, phaseText, rateText } from './progress-text';
import type { ProgressView } from './progress-view';
import { createTransferMeter, type TransferMeter } from './transfer-meter';
import { formatBytes } from '../output/units';

const NAME_WIDTH = 24;

interface BarState {
  readonly bar: SingleBar;
  readonly meter: TransferMeter;
}

/** One bar per upload, with rate and time left. The library is loaded here, where a terminal watches. */
export async function createProgressBars(screen: Writable, now: () => number): Promise<ProgressView> {
  const { MultiBar } = await import('cli-progress');
  const bars = new MultiBar({
    stream: screen,
    format: '{name} {bar} {percentage}%  {bytes}  {state}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    linewrap: false,
    clearOnComplete: false,
    emptyOnZero: true,
    gracefulExit: false,
    // Lines of others may have gone over what was drawn.
    forceRedraw: true,
  });
  const states = new Map<string, BarState>();
  const stateOf = (file: string): BarState => {
    const known = states.get(file);
    if (known !== undefined) return known;
    const created = {
      bar: bars.create(1, 0, { name: nameOf(file), bytes: '', state: '' }),
      meter: createTransferMeter(),
    };
    states.set(file, created);
    return created;
  };
  return {
    show(file, progress) {
      const { bar, meter } = stateOf(file);
      meter.add({ at: now(), bytes: bytesSoFar(progress), bytesDone: progress.bytesDone });
      const bytes = meter.bytes();
      bar.setTotal(Math.max(1, progress.bytesTotal ?? 1));
      const rate = rateText(progress, meter);
      bar.update(bytes, {
        bytes:
          progress.bytesTotal === undefined
            ? ''
            : `${formatBytes(bytes)} of ${formatBytes(progress.bytesTotal)}`,
        state: rate === '' ? phaseText(progress) : rate,
      });
    },
    say(text) {
      bars.log(`${text}\n`);
    },
    completed(file, bytes) {
      const state = states.get(file);
      state?.bar.setTotal(Math.max(1, bytes));
      state?.bar.update(bytes, { bytes: formatBytes(bytes), state: 'completed' });
    },
    close() {
      bars.update();
      bars.stop();
    },
  };
}

function nameOf(file: string): string {
  const name = plainLine(file.split(/[/\\]/).at(-1) ?? file);
  return (name.length > NAME_WIDTH ? `${name.slice(0, NAME_WIDTH - 1)}…` : name).padEnd(NAME_WIDTH);
}
