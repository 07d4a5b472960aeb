import type { BatchProgress, BatchResult } from '../../contract/batch';
import type { WaitReason } from '../wait-reason';

/** The progress of a batch, and what it waits for. */
export interface LiveBatch extends BatchProgress {
  /**
   * What the batch waits for: its plan, its account, the batch's folder for one of its pages, or what its rows wait
   * for. Only a few rows that have run longest are checked, and none if `progress` was given a time.
   */
  readonly waitReason?: WaitReason;
}

/** One batch in Temporal, seen from outside. It runs with or without a handle. */
export interface BatchHandle {
  readonly workflowId: string;
  /** True: a batch with the same id and meaning was running or completed, and this handle is for that batch. */
  readonly joined: boolean;
  /**
   * The batch's progress, including its running pages. Asks the workflows each second at first, and every 5 s at most
   * after half a minute. Rejects with `NoWorker` if no worker can answer. After `by` (epoch ms), rejects with that or
   * `TemporalUnreachable`.
   */
  progress(wanted?: { readonly by?: number }): Promise<LiveBatch>;
  /**
   * Waits for the end, through restarts of Temporal of up to five minutes. A batch with failed rows still ends well as
   * a batch. Rejects with the batch's own `MediaServiceError` (a manifest that differs, an output that can't be
   * written, `Cancelled`). Rejects with the signal's reason when `signal` aborts; the batch then continues.
   */
  result(signal?: AbortSignal): Promise<BatchResult>;
  /**
   * Begins no new row and pauses running uploads. Idempotent. `pause`, `resume` and `cancel` reject with
   * `RequestRefused` if the batch has ended.
   */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the batch. It first writes its results, with CANCELLED for every row that was not done. */
  cancel(): Promise<void>;
}
