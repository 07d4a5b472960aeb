import type { BatchProgress, BatchResult } from '../../contract/batch';
import type { HeldUp } from '../held-up-by';

/** Where a batch stands, and what keeps it from going on. */
export interface LiveBatch extends BatchProgress {
  /**
   * What the batch waits for: its plan, its account, what one of its pages reads and writes in the batch's folder, or what its rows wait for; of those
   * a few that run longest are looked at, and none where `progress` was given a time.
   */
  readonly heldUpBy?: HeldUp;
}

/** One batch in Temporal, seen from outside. It runs on whether or not somebody holds a handle. */
export interface BatchHandle {
  readonly workflowId: string;
  /** True: the start met a batch of the same id and meaning, running or completed, and this is that one. */
  readonly joined: boolean;
  /**
   * Where it stands, with what its running pages say of themselves. Asks the workflows each second at first, every 5 s at most after
   * half a minute. Rejects with `NoWorker` when no worker can answer; where `by` (epoch ms) is over, with that or `TemporalUnreachable`.
   */
  progress(wanted?: { readonly by?: number }): Promise<LiveBatch>;
  /**
   * Waits for the end, over restarts of Temporal of up to five minutes: a batch with failed rows has ended well as a batch. Rejects
   * with the batch's own `MediaServiceError` (a manifest that differs, an output that cannot be written, `Cancelled`); with the
   * signal's reason when `signal` aborts: the batch goes on then.
   */
  result(signal?: AbortSignal): Promise<BatchResult>;
  /** No new row begins, running uploads are paused. Idempotent. All three reject with `RequestRefused` where the batch has ended. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the batch: its account is written first, and says CANCELLED of every row that was not done. */
  cancel(): Promise<void>;
}
