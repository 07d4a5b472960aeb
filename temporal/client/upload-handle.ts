import type { UploadProgress, UploadResult } from '../../api/upload/request/upload-request';
import type { HeldUp } from './held-up-by';
import type { PartsInFlight } from './parts-in-flight';

/** Progress with what is under way: `bytesDone + bytesInFlight` is what a progress bar shows. */
export interface LiveProgress extends UploadProgress, PartsInFlight {
  /** Why a step failed last that is tried again: its file, a part, or a call of the service. */
  readonly heldUpBy?: HeldUp;
}

/** One upload in Temporal, seen from outside. It runs on whether or not somebody holds a handle. */
export interface UploadHandle {
  readonly workflowId: string;
  readonly runId?: string;
  /** True: the start met an upload of the same id and meaning, running or completed, and this is that one. */
  readonly joined: boolean;
  /** What could not be checked when it was joined: a full sentence. */
  readonly warning?: string;
  /** Asks the workflow each second at first, every 5 s at most after half a minute, and the parts' heartbeats each time. Rejects with `NoWorker` when no worker can answer. */
  progress(): Promise<LiveProgress>;
  /**
   * Waits for the end, over restarts of Temporal of up to five minutes. Rejects with the upload's own `MediaServiceError`;
   * with the signal's reason when `signal` aborts: the upload goes on then.
   */
  result(signal?: AbortSignal): Promise<UploadResult>;
  /** No new part begins; running ones end. Idempotent. All three reject with `RequestRefused` where the upload has ended. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the upload. The session and its parts stay in the service: its interface has no call that removes them. */
  cancel(): Promise<void>;
}
