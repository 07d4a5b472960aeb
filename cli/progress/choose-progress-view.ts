import type { Terminal } from '../output/terminal';
import { createProgressBars } from './progress-bars';
import { createProgressLines } from './progress-lines';
import type { ProgressView } from './progress-view';

const SILENT: ProgressView = {
  show: () => undefined,
  say: () => undefined,
  completed: () => undefined,
  close: () => undefined,
};

export interface ViewChoice {
  readonly json: boolean;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Bars on a terminal, plain lines elsewhere; with `--json` nothing where nobody watches. */
export function chooseProgressView(terminal: Terminal, { json, now }: ViewChoice): ProgressView {
  if (terminal.screen !== undefined) return createProgressBars(terminal.screen, now);
  return json ? SILENT : createProgressLines(terminal, now);
}
