import type { Terminal } from '../output/terminal';
import { createProgressBars } from './progress-bars';
import { createProgressLines } from './progress-lines';
import type { ProgressView } from './progress-view';
import type { UploadOfMany } from './total-progress';

const SILENT: ProgressView = {
  show: () => undefined,
  say: () => undefined,
  completed: () => undefined,
  failed: () => undefined,
  close: () => undefined,
};

export interface ViewChoice {
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
