import type { LiveProgress } from '../../temporal/client/upload-handle';
import type { Terminal } from '../output/terminal';
import { createProgressBars } from './progress-bars';
import { createProgressLines } from './progress-lines';

/** Shows how uploads go on. Draws on stderr alone. */
export interface ProgressView {
  readonly show: (file: string, progress: LiveProgress) => void;
  /** A line about one upload that is no progress: that nobody works on it, or its end. */
  readonly say: (text: string) => void;
  /** An upload of so many bytes ended well. */
  readonly completed: (file: string, bytes: number) => void;
  readonly close: () => void;
}

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
export async function createProgressView(
  terminal: Terminal,
  { json, now }: ViewChoice,
): Promise<ProgressView> {
  if (terminal.screen !== undefined) return createProgressBars(terminal.screen, now);
  return json ? SILENT : createProgressLines(terminal, now);
}
