import { redact } from '../../../api/answers/redact';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import type { EarlierSession, UploadRequest } from '../../../api/upload/request/upload-request';
import { runUpload } from '../../../api/upload/run-upload';
import type { UploadControl } from '../../../api/upload/run-upload';
import { sourceIdentity } from '../../../api/upload/sources/source-identity';
import type { PinnedSource } from '../../../api/upload/sources/source';
import type {
  Orphan,
  PartResult,
  StartedSession,
  StepFailure,
  UploadSteps,
} from '../../../api/upload/upload-steps';
import type { JournalEntry, Processing } from '../files/page-journal';
import { completedLine, failedLine } from '../files/result-line';
import type { RowName } from '../files/result-line';
import type { ResultLine } from '../types';
import { STEP_RETRY_MS } from '../../upload/types';
import { accountOf } from '../../worker/activity-deps';
import { RowSteps, StillProcessing } from './row-steps';
import type { RowStepsContext } from './row-steps';

/** What all rows of a page share. */
export interface RowContext extends RowStepsContext {
  /** Writes a line to the page journal. */
  readonly write: (line: JournalEntry | ResultLine) => Promise<void>;
  /** A larger file gets its own workflow, bytes. */
  readonly maxBytes: number;
}

export interface RowUpload {
  readonly name: RowName;
  readonly request: UploadRequest;
  /** A step failed and is retried. Undefined: it is not retried any more. */
  onRetry(error: MediaServiceError | undefined): void;
}

/** `failure`: why the line is not COMPLETED. `large`: the pinned file. `unstarted`: cancelled before its `start`. */
export type RowEnd =
  | { readonly line: ResultLine; readonly failure?: StepFailure }
  | { readonly processing: Processing }
  | { readonly large: PinnedSource }
  | { readonly unstarted: true };

/** Uploads one row in this process. Its session is in the page journal before `complete` is sent. Never rejects. */
export async function uploadRow(context: RowContext, row: RowUpload): Promise<RowEnd> {
  const plain = new RowSteps(context, (error) => row.onRetry(error));
  const pinning = plain.pinSource({ source: row.request.source });
  // The upload handles a failure of the pin.
  const pinned = await pinning.catch(() => undefined);
  if (pinned !== undefined && pinned.bytes > context.maxBytes) return { large: pinned };
  const steps = new JournaledSteps(context, row, { plain, pinned });
  try {
    const all = allSteps(plain, steps, pinning);
    const result = await runUpload(row.request, all, controlOf(context, plain));
    const identity = pinned && sourceIdentity(pinned);
    return { line: completedLine(row.name, { result, joined: false, identity }) };
  } catch (error) {
    return endOf(error, { ...row, session: steps.session(), parts: steps.parts(), signal: context.signal });
  }
}

function allSteps(
  plain: RowSteps,
  { startSession, findOrphans, sendPart, completeSession }: JournaledSteps,
  pinning: Promise<PinnedSource>,
): UploadSteps<string> {
  const { awaitUploadHost, readSession, pollSession, releaseSource } = plain;
  return {
    ...{ pinSource: () => pinning, startSession, findOrphans, sendPart, completeSession },
    ...{ awaitUploadHost, readSession, pollSession, releaseSource },
  };
}

function controlOf(context: RowContext, { openPartScope }: RowSteps): UploadControl {
  const { deps, accountId, signal } = context;
  const { clock } = accountOf(deps, accountId).service;
  return {
    clock: { now: () => Date.now(), sleep: (ms) => clock.sleep(ms, signal) },
    retryForMs: STEP_RETRY_MS,
    gate: { paused: () => false, waitUntilOpen: () => Promise.resolve() },
    failureOf: (error) => failureOf(error, signal),
    onProgress: () => undefined,
    openPartScope,
  };
}

/** The steps that the page journal must know about. */
class JournaledSteps {
  readonly #write: (line: {
    readonly session: EarlierSession;
    readonly orphans: readonly Orphan[];
  }) => Promise<void>;
  readonly #plain: RowSteps;
  readonly #pinned: PinnedSource | undefined;
  #session: EarlierSession | undefined;
  #parts: PartResult[] = [];
  /** Of starts whose answers were lost. */
  readonly #orphans: Orphan[] = [];
  #written: Promise<void> | undefined;

  constructor(
    { write }: RowContext,
    { name: { id }, request }: RowUpload,
    { plain, pinned }: { readonly plain: RowSteps; readonly pinned: PinnedSource | undefined },
  ) {
    this.#write = (line) => write({ id, ...line });
    this.#plain = plain;
    this.#pinned = pinned;
    this.#session = request.earlier;
  }

  readonly startSession: UploadSteps<string>['startSession'] = async (input) => {
    const started = await this.#plain.startSession(input);
    const session = this.#pinned && sessionIn(started, this.#pinned, input.media.fileType);
    this.#parts = [];
    this.#session = session;
    this.#written = session && this.#write({ session, orphans: [...this.#orphans] });
    // `complete` awaits it.
    this.#written?.catch(() => undefined);
    return started;
  };

  readonly findOrphans: UploadSteps<string>['findOrphans'] = async (input) => {
    const found = await this.#plain.findOrphans(input);
    this.#orphans.push(...found.orphans);
    return found;
  };

  readonly sendPart: UploadSteps<string>['sendPart'] = async (input) => {
    const sent = await this.#plain.sendPart(input);
    this.#parts.push(sent);
    return sent;
  };

  readonly completeSession: UploadSteps<string>['completeSession'] = async (input) => {
    await this.#written;
    return this.#plain.completeSession(input);
  };

  /** The newest session of the row. */
  session(): EarlierSession | undefined {
    return this.#session;
  }

  /** The parts that were sent in it. */
  parts(): readonly PartResult[] {
    return this.#parts;
  }
}

function sessionIn(
  { uploadId, mediaId }: StartedSession,
  pinned: PinnedSource,
  fileType: string,
): EarlierSession {
  const { fileName, bytes } = pinned;
  return {
    uploadId,
    ...given({ mediaId }),
    fileName,
    fileType,
    bytes,
    ...given({ identity: sourceIdentity(pinned) }),
  };
}

interface Ended {
  readonly name: RowName;
  readonly session: EarlierSession | undefined;
  readonly parts: readonly PartResult[];
  readonly signal: AbortSignal;
}

function endOf(error: unknown, { name, session, parts, signal }: Ended): RowEnd {
  const { cause } = error instanceof Error ? error : {};
  const failure = failureOf(error, signal);
  const { uploadId, orphans, startPending } = failure.facts.details ?? {};
  if (cause instanceof StillProcessing) {
    const left = typeof orphans === 'string' ? [{ reason: orphans }] : [];
    return { processing: processingOf(cause, { name, session, parts }, left) };
  }
  const isUntouched = uploadId === undefined && orphans === undefined && startPending === undefined;
  if (failure.code === 'Cancelled' && isUntouched) return { unstarted: true };
  return { line: failedLine(name, { failure, session }), failure };
}

/** During a cancellation, a step can fail in another way. That counts as part of the cancellation. */
function failureOf(error: unknown, signal: AbortSignal): StepFailure {
  const isOurs = error instanceof MediaServiceError;
  const facts = isOurs ? error.facts : {};
  if (signal.aborted && !(isOurs && error.code === 'ProcessingFailed'))
    return { code: 'Cancelled', message: isOurs ? error.message : 'the upload was cancelled', facts };
  if (isOurs) return { code: error.code, message: error.message, facts };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'An unknown failure';
  return { code: 'Internal', message: redact(message), facts: { outcome: 'ambiguous' } };
}

function processingOf(
  { completedAt }: StillProcessing,
  { name, session, parts }: Omit<Ended, 'signal'>,
  orphans: readonly Orphan[],
): Processing {
  const isSent = parts.length > 0;
  const sent = {
    eTags: [...parts].sort((a, b) => a.partNumber - b.partNumber).map(({ eTag }) => eTag),
    verified: parts.every(({ verified }) => verified),
    retries: parts.reduce((sum, { attempts }) => sum + attempts - 1, 0),
  };
  const { uploadId, mediaId, fileType, bytes, identity } = session ?? {};
  return {
    completedAt,
    line: {
      ...name,
      ...given({ uploadId, mediaId, fileType, bytes, identity }),
      ...(isSent ? sent : { joined: true }),
      orphans,
    },
  };
}
