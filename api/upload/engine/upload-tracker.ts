import { MediaServiceError } from '../../errors';
import type { Outcome } from '../../errors';
import { given } from '../../json';
import type { UploadSession } from '../protocol/session';
import type {
  UploadProgress,
  UploadRequest,
  UploadResult,
  Orphan,
  EarlierSession,
  OrphanSearch,
  PartResult,
  StepFailure,
} from '../types';

/**
 * What one run knows about itself: progress, and what it leaves behind. It reports every change to the
 * control.
 */
export class UploadTracker {
  private known: Noted = { phase: 'pinning' };
  session: { readonly uploadId: string; readonly mediaId?: string } | undefined;
  private readonly running = new Set<number>();
  private readonly done: PartResult[] = [];
  private readonly beganAt: number;
  private readonly knownMedia: readonly string[];
  readonly orphans: Orphan[] = [];
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

  /** Adds to what is known, and reports it. */
  note(change: Partial<Noted>): void {
    this.known = { ...this.known, ...change };
    this.report();
  }

  sessionBegan({ parts: _parts, ...session }: EarlierSession): void {
    const { uploadId, mediaId } = session;
    this.session = { uploadId, ...given({ mediaId }) };
    this.control.onSession?.(session);
    this.note({ sessionStatus: 'INITIALIZED' });
  }

  /** The session can no longer be used. A new one replaces it, with all parts. */
  sessionLost(reason: string): void {
    if (this.session !== undefined) this.orphans.push({ ...this.session, reason });
    this.session = undefined;
    this.done.length = 0;
    this.completion = 'none';
    this.note({ sessionStatus: undefined });
  }

  /** Earlier runs sent these parts. */
  keep(parts: readonly PartResult[]): void {
    this.done.push(...parts);
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
    this.orphans.push(...search.orphans);
  }

  /** Ids that a search for orphans must not report again. */
  knownIds(): string[] {
    const ours = [...this.orphans, ...(this.session === undefined ? [] : [this.session])];
    const ids = ours.flatMap(({ uploadId, mediaId }) => [uploadId, mediaId]);
    return [...this.knownMedia, ...ids.filter((id) => id !== undefined)];
  }

  /** Ascending by part number. */
  get parts(): readonly PartResult[] {
    return [...this.done].sort((one, other) => one.partNumber - other.partNumber);
  }

  /** The session is COMPLETED: returns the result. */
  completed({ fileUrl, ...session }: UploadSession, begun: EarlierSession): UploadResult {
    this.note({ phase: 'completed' });
    const { uploadId, mediaId = session.mediaId, fileName, fileType, bytes } = begun;
    return {
      ...{ uploadId, ...given({ mediaId, fileUrl }), status: 'COMPLETED', fileName, fileType, bytes },
      parts: this.parts,
      ...(this.done.length === 0 ? { earlier: true } : {}),
      durationMs: this.control.clock.now() - this.beganAt,
      retries: this.retries(),
      orphans: this.orphans,
      orphansVerifiable: this.verifiable && !this.startPending,
    };
  }

  private retries(): number {
    return this.done.reduce((sum, part) => sum + Math.max(0, part.attempts - 1), 0);
  }

  private report(): void {
    const { sessionStatus, ...known } = this.known;
    this.control.onProgress({
      ...known,
      ...given({ sessionStatus }),
      paused: this.control.gate.paused(),
      bytesDone: this.done.reduce((sum, part) => sum + part.bytes, 0),
      partsDone: this.done.length,
      partsRunning: [...this.running].sort((one, other) => one - other),
      retries: this.retries(),
      ...this.session,
    });
  }
}

/** What is known of an upload besides its session and its parts. */
type Noted = Pick<UploadProgress, 'phase' | 'fileName' | 'bytesTotal' | 'fileType' | 'partsTotal'> & {
  readonly sessionStatus?: string | undefined;
};

/**
 * How far `complete` got. `tried`: the step began; it reads the session before it sends. `accepted`: the service has
 * it.
 */
type Completion = 'none' | 'tried' | 'accepted';

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
  readonly gate: {
    paused(): boolean;
    /** Rejects when the upload is cancelled. */
    waitUntilOpen(): Promise<void>;
  };
  /** Returns what failed, whatever error carried it. Called for every error that is not a `MediaServiceError`. */
  failureOf(error: unknown): StepFailure;
  /** Called at every change; must not throw. */
  onProgress(progress: UploadProgress): void;
  /** Called before anything is sent into a session, with what another run needs to continue it; must not throw. */
  onSession?(session: EarlierSession): void;
  openPartScope(): PartScope;
}

/** The parts of one session, so that all running ones can end at once (in Temporal: a `CancellationScope`). */
export interface PartScope {
  run<T>(step: () => Promise<T>): Promise<T>;
  cancel(): void;
}

/** How far an upload got before it ended. It decides what the error says stays behind. */
type Footprint = Pick<UploadTracker, 'session' | 'orphans' | 'startPending' | 'completion'>;

export function stepFailureOf(error: unknown, control: Pick<UploadControl, 'failureOf'>): StepFailure {
  if (!(error instanceof MediaServiceError)) return control.failureOf(error);
  return { code: error.code, message: error.message, facts: error.facts };
}

/**
 * Makes the error that ends an upload: the step's own error, with what stays at the service and the original error as
 * `cause`.
 */
export function uploadErrorOf(
  error: unknown,
  control: Pick<UploadControl, 'failureOf'>,
  footprint: Footprint,
): MediaServiceError {
  const { code, message, facts } = stepFailureOf(error, control);
  const left = whatStays(footprint, facts.outcome);
  const hint = [facts.hint, left].filter((text) => text !== undefined).join(' ');
  const shown =
    code === 'Cancelled' ? cancelled(footprint) : { message, ...given({ hint: hint || undefined }) };
  const { session, orphans, startPending } = footprint;
  const details = {
    ...facts.details,
    ...session,
    ...(startPending ? { startPending } : {}),
    ...(orphans.length === 0 ? {} : { orphans: orphans.map(nameOf).join(', ') }),
  };
  return new MediaServiceError(
    code,
    shown.message,
    { ...facts, ...given({ hint: shown.hint }), details },
    { cause: error },
  );
}

function cancelled(footprint: Footprint): { readonly message: string; readonly hint?: string } {
  const { session, completion } = footprint;
  const message = {
    none: 'the upload was cancelled',
    tried: `the upload was cancelled while complete may have been sent for upload session ${session?.uploadId}`,
    accepted: `only the waiting was cancelled: complete was sent for upload session ${session?.uploadId}, and the service continues with it`,
  }[completion];
  const hint =
    completion === 'accepted'
      ? 'Read the session later to learn how it ended.'
      : (whatStays(footprint) ?? 'This run left nothing at the service.');
  return { message, hint };
}

/** `outcome` is that of the failed step. Undefined: unknown. */
function whatStays({ session, startPending, completion }: Footprint, outcome?: Outcome): string | undefined {
  if (completion === 'accepted') return undefined;
  if (session !== undefined) {
    const stays = `The upload session ${session.uploadId} and its parts stay: the interface has no call that removes them; the operator of the service can.`;
    const known = completion === 'none' || outcome === 'unsent' || outcome === 'refused';
    return known
      ? stays
      : `It is not known whether complete arrived: read the session later. PENDING_COMPLETE, COMPLETED or FAILED mean that it did. Otherwise: ${stays}`;
  }
  return startPending
    ? 'An upload session may exist at the service, because the response to start is not known.'
    : undefined;
}

function nameOf({ uploadId, mediaId, reason }: Orphan): string {
  const ids = Object.entries(given({ upload: uploadId, media: mediaId }));
  return `${ids.map((named) => named.join(' ')).join(' / ')} (${reason})`;
}
