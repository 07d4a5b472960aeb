import { given } from '../../json';
import { urlWarning } from './upload-failure';
import type { Completion, UploadFootprint } from './upload-failure';
import type { Part } from '../parts/part-plan';
import type { PinnedSource } from '../sources/source';
import type { UploadPhase, UploadProgress, UploadRequest, UploadResult } from '../request/upload-request';
import type { Orphan, OrphanSearch, PartResult, StartedSession, StepFailure } from '../upload-steps';

type DurationName = Exclude<keyof UploadResult['durations'], 'totalMs'>;

/**
 * What one run knows about itself: progress, durations, and what it leaves behind. It reports every change to the
 * control.
 */
export class UploadTracker {
  private phase: UploadPhase = 'pinning';
  private pinned: PinnedSource | undefined;
  private partsTotal: number | undefined;
  private fileType: string | undefined;
  private session: Pick<StartedSession, 'uploadId' | 'mediaId'> | undefined;
  private sessionStatus: string | undefined;
  private readonly running = new Set<number>();
  private done: PartResult[] = [];
  private retriesOfLostSessions = 0;
  private readonly spent = new Map<DurationName, number>();
  private readonly beganAt: number;
  private readonly knownMedia: readonly string[];
  private readonly found: Orphan[] = [];
  private verifiable = true;
  /** Sessions that `start` created or may have created. */
  sessionsStarted = 0;
  startPending: boolean;
  /** The last session's warning. */
  warning: string | undefined;
  completion: Completion = 'none';

  constructor(
    private readonly control: UploadControl,
    { startPending, knownMedia = [] }: Pick<UploadRequest, 'startPending' | 'knownMedia'>,
  ) {
    this.beganAt = control.clock.now();
    this.startPending = startPending === true;
    this.knownMedia = knownMedia;
  }

  /** Runs one phase and adds its time to `duration`. */
  async during<T>(phase: UploadPhase, duration: DurationName, run: () => Promise<T>): Promise<T> {
    const from = this.control.clock.now();
    this.enter(phase);
    try {
      return await run();
    } finally {
      this.spent.set(duration, (this.spent.get(duration) ?? 0) + this.control.clock.now() - from);
    }
  }

  enter(phase: UploadPhase): void {
    this.phase = phase;
    this.report();
  }

  sourcePinned(pinned: PinnedSource): void {
    this.pinned = pinned;
    this.report();
  }

  planned(parts: readonly Part[], fileType: string): void {
    this.partsTotal = parts.length;
    this.fileType = fileType;
    this.report();
  }

  sessionBegan(session: StartedSession): void {
    this.session = session;
    const { bytes = 0 } = this.pinned ?? {};
    this.warning = urlWarning(session, { bytes, now: this.control.clock.now() });
    this.sessionStatus = 'INITIALIZED';
    this.report();
  }

  /** The session can no longer be used. A new one replaces it and starts without parts. */
  sessionLost(reason: string): void {
    if (this.session !== undefined) this.found.push({ ...idsOf(this.session), reason });
    this.retriesOfLostSessions += retriesOf(this.done);
    this.session = undefined;
    this.sessionStatus = undefined;
    this.done = [];
    this.report();
  }

  sessionRead(status: string): void {
    this.sessionStatus = status;
    this.report();
  }

  partBegan(partNumber: number): void {
    this.running.add(partNumber);
    this.report();
  }

  partEnded(partNumber: number, result?: PartResult): void {
    this.running.delete(partNumber);
    if (result !== undefined) this.done.push(result);
    this.report();
  }

  orphansFound(search: OrphanSearch): void {
    this.verifiable &&= search.verifiable;
    this.found.push(...search.orphans);
  }

  /** Ids that a search for orphans must not report again. */
  knownIds(): string[] {
    const ours = [...this.found, ...(this.session === undefined ? [] : [this.session])];
    const ids = ours.flatMap(({ uploadId, mediaId }) => [uploadId, mediaId]);
    return [...this.knownMedia, ...ids.filter((id) => id !== undefined)];
  }

  get orphansVerifiable(): boolean {
    return this.verifiable;
  }

  get orphans(): readonly Orphan[] {
    return this.found;
  }

  /** Ascending by part number. */
  get parts(): readonly PartResult[] {
    return [...this.done].sort((one, other) => one.partNumber - other.partNumber);
  }

  get retries(): number {
    return this.retriesOfLostSessions + retriesOf(this.done);
  }

  footprint(): UploadFootprint {
    return {
      uploadId: this.session?.uploadId,
      mediaId: this.session?.mediaId,
      orphans: this.found,
      startPending: this.startPending,
      completion: this.completion,
    };
  }

  durations(): UploadResult['durations'] {
    const spent = (name: DurationName): number => this.spent.get(name) ?? 0;
    return {
      pinMs: spent('pinMs'),
      startMs: spent('startMs'),
      transferMs: spent('transferMs'),
      completeMs: spent('completeMs'),
      processingMs: spent('processingMs'),
      totalMs: this.control.clock.now() - this.beganAt,
    };
  }

  /** Reports the progress, as the tracker does by itself at every change. */
  report(): void {
    this.control.onProgress(this.progress());
  }

  private progress(): UploadProgress {
    return {
      phase: this.phase,
      paused: this.control.gate.paused(),
      ...(this.pinned === undefined ? {} : { fileName: this.pinned.fileName, bytesTotal: this.pinned.bytes }),
      ...(this.fileType === undefined ? {} : { fileType: this.fileType }),
      bytesDone: this.done.reduce((sum, part) => sum + part.bytes, 0),
      ...(this.partsTotal === undefined ? {} : { partsTotal: this.partsTotal }),
      partsDone: this.done.length,
      partsRunning: [...this.running].sort((one, other) => one - other),
      retries: this.retries,
      ...(this.session === undefined ? {} : idsOf(this.session)),
      ...given({ sessionStatus: this.sessionStatus, warning: this.warning }),
    };
  }
}

function idsOf({ uploadId, mediaId }: Pick<StartedSession, 'uploadId' | 'mediaId'>): {
  uploadId: string;
  mediaId?: string;
} {
  return { uploadId, ...(mediaId === undefined ? {} : { mediaId }) };
}

function retriesOf(parts: readonly PartResult[]): number {
  return parts.reduce((sum, part) => sum + part.attempts - 1, 0);
}

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
