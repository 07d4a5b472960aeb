import { given } from '../../json';
import type { Part } from '../parts/part-plan';
import type { UploadSession } from '../session/session';
import type { PinnedSource } from '../sources/source';
import type { UploadPhase, UploadProgress, UploadRequest, UploadResult } from '../request/upload-request';
import type { Orphan, OrphanSearch, PartResult, StartedSession, StepFailure } from '../upload-steps';

/**
 * What one run knows about itself: progress, and what it leaves behind. It reports every change to the
 * control.
 */
export class UploadTracker {
  private phase: UploadPhase = 'pinning';
  private pinned: PinnedSource | undefined;
  private partsTotal: number | undefined;
  private fileType: string | undefined;
  session: { readonly uploadId: string; readonly mediaId?: string } | undefined;
  private sessionStatus: string | undefined;
  private readonly running = new Set<number>();
  private readonly done: PartResult[] = [];
  private readonly beganAt: number;
  private readonly knownMedia: readonly string[];
  private readonly found: Orphan[] = [];
  private verifiable = true;
  startPending: boolean;
  completion: Completion = 'none';

  constructor(
    private readonly control: UploadControl,
    { startPending, knownMedia = [] }: Pick<UploadRequest, 'startPending' | 'knownMedia'>,
  ) {
    this.beganAt = control.clock.now();
    this.startPending = startPending === true;
    this.knownMedia = knownMedia;
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

  sessionBegan({ uploadId, mediaId }: Pick<StartedSession, 'uploadId' | 'mediaId'>): void {
    this.session = { uploadId, ...given({ mediaId }) };
    this.sessionStatus = 'INITIALIZED';
    this.report();
  }

  /** The session can no longer be used. A new one replaces it. */
  sessionLost(reason: string): void {
    if (this.session !== undefined) this.found.push({ ...this.session, reason });
    this.session = undefined;
    this.sessionStatus = undefined;
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

  get orphans(): readonly Orphan[] {
    return this.found;
  }

  /** Ascending by part number. */
  get parts(): readonly PartResult[] {
    return [...this.done].sort((one, other) => one.partNumber - other.partNumber);
  }

  /** The session is COMPLETED: returns the result. */
  completed({ fileUrl, mediaId }: UploadSession, file: UploadedFile): UploadResult {
    this.enter('completed');
    const { uploadId, mediaId: started } = this.session ?? { uploadId: '' };
    return {
      uploadId,
      ...given({ mediaId: started ?? mediaId, fileUrl }),
      status: 'COMPLETED',
      ...file,
      parts: this.parts,
      durationMs: this.control.clock.now() - this.beganAt,
      retries: this.retries(),
      orphans: this.found,
      orphansVerifiable: this.verifiable,
    };
  }

  private retries(): number {
    return this.done.reduce((sum, part) => sum + part.attempts - 1, 0);
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
      retries: this.retries(),
      ...this.session,
      ...given({ sessionStatus: this.sessionStatus }),
    };
  }
}

/**
 * How far `complete` got. `tried`: the step began; it reads the session before it sends. `accepted`: the service has
 * it.
 */
type Completion = 'none' | 'tried' | 'accepted';

type UploadedFile = Pick<UploadResult, 'fileName' | 'fileType' | 'fileTypeFrom' | 'bytes'>;

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
