import type { MediaServiceError } from '../../errors';
import type { PartHashFactory } from '../../md5/part-hash';

/** What the caller of an upload in this process wants to hear and decide. */
export interface DirectHooks {
  /** Cancels the upload. */
  readonly signal?: AbortSignal;
  /** Bytes of a part that is under way; starts anew with each try. */
  onPartBytes?(partNumber: number, bytesSoFar: number): void;
  /** A try of a part failed and another one follows. */
  onPartRetry?(partNumber: number, error: MediaServiceError): void;
  /** Another step failed in a way that passes, and is tried again. */
  onStepRetry?(error: MediaServiceError): void;
  /** The upload has not begun, and waits for what the reason names. */
  onWaiting?(reason: string): void;
  /** Every status that is read while the service processes. */
  onSessionStatus?(status: string): void;
  readonly hash?: PartHashFactory;
  /** How long a step may go on failing before the upload gives up, ms. Default 15 minutes. */
  readonly patienceMs?: number;
  /** How long the service, its storage or the source may fail before it was reached once, ms. Default: as long as any step. */
  readonly reachWithinMs?: number;
  /** Aborts when the process is to stop: an upload that has reached nothing yet then ends at once. */
  readonly stopping?: AbortSignal;
  /** First pause between two rounds of polling, ms; grows to a minute. Default 5,000. */
  readonly pollDelayMs?: number;
}
