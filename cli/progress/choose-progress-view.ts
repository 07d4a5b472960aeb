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

/** Bars on a terminal, plain lines elsewhere; with `--json` nothing where nobody watches. */
export function chooseProgressView(terminal: Terminal, { json, now, uploads }: ViewChoice): ProgressView {
  if (terminal.screen !== undefined) return createProgressBars(terminal.screen, { now, uploads });
  return json ? SILENT : createProgressLines(terminal, { now, uploads });
}
