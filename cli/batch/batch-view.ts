import type { LiveBatch } from '../../temporal/batch/client/open-batch';
import type { WaitReason } from '../../temporal/client/wait-reason';
import type { BatchCounts } from '../../temporal/batch/types';
import { plainLine } from '../output/plain-text';
import { waitReasonLines } from '../text/wait-text';

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
export function sayingView(say: (text: string) => void): Omit<BatchView, 'show'> {
  const nothing = (): void => undefined;
  return {
    say,
    waiting: (waitReason) => say(waitReasonLines(waitReason).map(plainLine).join(' ')),
    answersAgain: () => say('Temporal and the workers answer again.'),
    ...{ stale: nothing, ended: nothing, close: nothing },
  };
}

export interface BatchViewChoice {
  /** As the user knows it. */
  readonly batch: string;
  readonly json: boolean;
  /** Epoch ms. */
  readonly now: () => number;
}
