import type { UploadProgress } from '../request/upload-request';
import type { StepFailure } from '../upload-steps';

/** Drives and observes one upload: Temporal's workflow or a process of our own. */
export interface UploadControl {
  readonly clock: {
    /** Epoch ms. */
    now(): number;
    /** Rejects when the upload is cancelled. */
    sleep(ms: number): Promise<void>;
  };
  /** How long a `start` that was never sent is repeated, ms: as long as the driver retries its other steps. */
  readonly retryForMs: number;
  readonly gate: UploadGate;
  /** Returns what failed, whatever error carried it. Called for every error that is not a `MediaServiceError`. */
  failureOf(error: unknown): StepFailure;
  /** Called at every change; must not throw. */
  onProgress(progress: UploadProgress): void;
  /** Unset: if a part fails for good, other running parts are awaited, not cancelled. */
  openPartScope?(): PartScope;
}

export interface UploadGate {
  paused(): boolean;
  /** Rejects when the upload is cancelled. */
  waitUntilOpen(): Promise<void>;
}

/** The parts of one session, so that all running ones can end at once (in Temporal: a `CancellationScope`). */
export interface PartScope {
  run<T>(step: () => Promise<T>): Promise<T>;
  cancel(): void;
}
