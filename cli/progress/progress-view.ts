import type { LiveProgress } from '../../temporal/upload/client/open-upload';
import type { Terminal } from '../output/terminal';
import { createProgressBars } from './progress-bars';
import { createProgressLines } from './progress-lines';
import type { UploadOfMany } from './total-progress';

/** Shows the progress of uploads, only on stderr. */
export interface ProgressView {
  readonly show: (file: string, progress: LiveProgress) => void;
  /** Shows a line about one upload that is not progress, such as its end or that nobody works on it. */
  readonly say: (text: string) => void;
  /** An upload of this many bytes ended well. */
  readonly completed: (file: string, bytes: number) => void;
  /** An upload ended in another way: in this one. */
  readonly failed: (file: string, how: 'failed' | 'cancelled') => void;
  readonly close: () => void;
}

const SILENT: ProgressView = {
  show: () => undefined,
  say: () => undefined,
  completed: () => undefined,
  failed: () => undefined,
  close: () => undefined,
};

interface ViewChoice {
  readonly json: boolean;
  /** Epoch ms. */
  readonly now: () => number;
  readonly uploads: readonly UploadOfMany[];
}

/** Chooses bars on a terminal and plain lines elsewhere. With `--json` and without a terminal, it shows nothing. */
export function chooseProgressView(terminal: Terminal, { json, now, uploads }: ViewChoice): ProgressView {
  if (terminal.screen !== undefined) return createProgressBars(terminal.screen, { now, uploads });
  return json ? SILENT : createProgressLines(terminal, { now, uploads });
}
