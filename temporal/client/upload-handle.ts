import type { UploadProgress, UploadResult } from '../../api/upload/request/upload-request';
import type { WaitReason } from './wait-reason';
import type { PartsInFlight } from './parts-in-flight';

/** Progress including parts in flight. A progress bar shows `bytesDone + bytesInFlight`. */
export interface LiveProgress extends UploadProgress, PartsInFlight {
  /** Why the last try of a retried step failed: its file, a part, or a call of the service. */
  readonly waitReason?: WaitReason;
}

/** One upload in Temporal, seen from outside. It runs with or without a handle. */
export interface UploadHandle {
  readonly workflowId: string;
  readonly runId?: string;
  /** True: an upload with the same id and meaning was running or completed, and this handle is for that upload. */
  readonly joined: boolean;
  /** The control queue of an upload that was joined. It may differ from that of the start. */
  readonly joinedQueue?: string;
  /** What could not be checked when the upload was joined: a full sentence. */
  readonly warning?: string;
  /**
   * Asks the workflow each second at first, and every 5 s at most after half a minute. Reads the parts' heartbeats
   * each time. Rejects with `NoWorker` if no worker can answer.
   */
  progress(): Promise<LiveProgress>;
  /**
   * Waits for the end, through restarts of Temporal of up to five minutes. Rejects with the upload's own
   * `MediaServiceError`. Rejects with the signal's reason when `signal` aborts; the upload then continues.
   */
  result(signal?: AbortSignal): Promise<UploadResult>;
  /**
   * Begins no new part; running parts end. Idempotent. `pause`, `resume` and `cancel` reject with `RequestRefused` if
   * the upload has ended.
   */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Ends the upload. The session and its parts stay in the service, because its interface has no call that removes
   * them.
   */
  cancel(): Promise<void>;
}
