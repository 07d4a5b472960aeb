import type { MediaServiceError } from '../../errors';
import type { PartHashFactory } from '../../md5/part-hash';

/** Including its last try, an upload that reaches no server within this time ends within a minute, ms. */
export const REACH_WITHIN_MS = 35_000;

/** What the caller of an upload in this process can observe and decide. */
export interface DirectHooks {
  /** Cancels the upload. */
  readonly signal?: AbortSignal;
  /** Bytes of a running part; restarts at 0 with each try. */
  onPartBytes?(partNumber: number, bytesSoFar: number): void;
  /** A try of a part failed and another one follows. */
  onPartRetry?(partNumber: number, error: MediaServiceError): void;
  /** Another step failed temporarily and is retried. */
  onStepRetry?(error: MediaServiceError): void;
  /** The upload has not started; it waits for what the reason names. */
  onWaiting?(reason: string): void;
  /** Every status that is read while the service processes the file. */
  onSessionStatus?(status: string): void;
  readonly hash?: PartHashFactory;
  /** How long a step may keep failing before the upload gives up, ms. Default 15 minutes. */
  readonly retryForMs?: number;
  /**
   * How long the service, its storage or the source may fail before it is first reached, ms. Default: as long as any
   * step.
   */
  readonly reachWithinMs?: number;
  /** Aborts when the process must stop. An upload that has reached nothing yet then ends at once. */
  readonly stopping?: AbortSignal;
  /** First pause between two polls, ms; grows to a minute. Default 5,000. */
  readonly pollDelayMs?: number;
}
