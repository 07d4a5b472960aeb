import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import type { Service } from '../../../api/service/service';
import { withRetries } from '../../../api/retry';
import type { PartScope } from '../../../api/upload/run-upload';
import { completeSession, readTwice } from '../../../api/upload/session/complete-session';
import { findOrphans } from '../../../api/upload/session/orphans';
import { pollSession } from '../../../api/upload/session/poll-session';
import { requireUploadHost, startSession } from '../../../api/upload/session/start-session';
import { releaseInTime } from '../../../api/upload/direct/direct-steps';
import { pinSource, sourcesOf } from '../../../files/sources/read-source';
import { sourceIdentity } from '../../../api/upload/sources/source-identity';
import type { PinnedSource } from '../../../api/upload/sources/source';
import type {
  Orphan,
  PartInput,
  PartResult,
  PartUrl,
  StartedSession,
  UploadSteps,
} from '../../../api/upload/upload-steps';
import type { EarlierSession, UploadRequest } from '../../../api/upload/request/upload-request';
import type { JournalEntry } from '../files/page-journal';
import type { RowName } from '../files/result-line';
import type { ResultLine } from '../types';
import { STEP_RETRY_MS } from '../../upload/types';
import { accountOf, sourceAccess } from '../../worker/activity-deps';
import { countedStep } from '../../telemetry/activities';
import type { ActivityDeps } from '../../worker/activity-deps';
import { admitPart, send } from '../../worker/limits/admitted-part';

/** How long a row waits for the end of its processing in its slot, ms. After that, its page waits for it. */
const PROCESSING_IN_SLOT_MS = 5_000;
/** First pause between two reads in its slot, ms. It doubles. */
const FIRST_PAUSE_MS = 1_000;
/** Parts up to this size need little memory, so the slots of their rows limit them enough. */
const SMALL_PART_BYTES = 1024 * 1024;

/** What all rows of a page share. */
export interface RowContext {
  readonly deps: ActivityDeps;
  readonly accountId: string;
  readonly queue: string;
  /** Ends running steps. */
  readonly signal: AbortSignal;
  /** Whether a `start` or `complete` may be sent now. */
  readonly may: (what: 'start' | 'complete') => boolean;
  /** Writes a line to the page journal. */
  readonly write: (line: JournalEntry | ResultLine) => Promise<void>;
  /** A larger file gets its own workflow, bytes. */
  readonly maxBytes: number;
}

export interface RowUpload {
  readonly name: RowName;
  readonly request: UploadRequest;
  /** The earlier session in the request is of this run of the batch: its worker was lost. */
  readonly isContinued: boolean;
  /** A step failed and is retried. Undefined: it is not retried any more. */
  readonly onRetry: (error: MediaServiceError | undefined) => void;
}

/** A session that the service still processes. */
export class StillProcessing extends MediaServiceError {
  constructor(readonly completedAt: number) {
    super('ProcessingTimeout', 'The service still processes the file.', {});
  }
}

/**
 * The steps of one row as plain calls in this process, and the scope that ends its parts together. Its session is in the
 * page journal before `complete` is sent.
 */
export class RowSteps implements UploadSteps<string> {
  /** The newest session of the row. */
  session: EarlierSession | undefined;
  /** The parts that were sent in it. */
  parts: PartResult[] = [];
  readonly #context: RowContext;
  readonly #row: RowUpload;
  readonly #service: Service;
  #scope = new AbortController();
  #pinning: Promise<PinnedSource> | undefined;
  /** Of starts whose answers were lost. */
  readonly #orphans: Orphan[] = [];
  #written: Promise<void> | undefined;

  constructor(context: RowContext, row: RowUpload) {
    this.#context = context;
    this.#row = row;
    this.#service = accountOf(context.deps, context.accountId).service;
    this.session = row.request.earlier;
  }

  readonly openPartScope = (): PartScope => {
    const scope = new AbortController();
    this.#scope = scope;
    return { run: (step) => step(), cancel: () => scope.abort() };
  };

  readonly pinSource: UploadSteps<string>['pinSource'] = ({ source }) => {
    const { deps, accountId, signal } = this.#context;
    const access = sourceAccess(deps, accountId, source);
    const step = { ...stepOf('pinSource'), isCall: false, isFirstContact: true };
    this.#pinning ??= this.#repeated(step, () => pinSource(access, source, signal));
    return this.#pinning;
  };

  readonly startSession: UploadSteps<string>['startSession'] = async (input) => {
    const { signal, may, write } = this.#context;
    const { name, request } = this.#row;
    const pinned = await this.pinSource({ source: request.source });
    const started = await this.#once({ ...stepOf('startSession'), isFirstContact: true }, 1, () => {
      if (!may('start')) throw stopped();
      return startSession(this.#service, input, { signal });
    });
    this.parts = [];
    this.session = sessionIn(started, pinned, input.media.fileType);
    this.#written = write({ id: name.id, session: this.session, orphans: [...this.#orphans] });
    // `complete` awaits it.
    this.#written.catch(() => undefined);
    return started;
  };

  readonly awaitUploadHost: UploadSteps<string>['awaitUploadHost'] = async ({ pauseMs, failure }) => {
    const { code, message, facts } = failure;
    const { signal } = this.#context;
    this.#row.onRetry(new MediaServiceError(code, message, facts));
    await this.#service.clock.sleep(pauseMs, signal);
    const step = { ...stepOf('awaitUploadHost'), isFirstContact: true };
    await this.#repeated(step, () => requireUploadHost(this.#service, signal));
    this.#row.onRetry(undefined);
  };

  readonly findOrphans: UploadSteps<string>['findOrphans'] = async (input) => {
    const { signal } = this.#context;
    const found = await this.#repeated(stepOf('findOrphans'), () =>
      findOrphans(this.#service, input, signal),
    );
    this.#orphans.push(...found.orphans);
    return found;
  };

  readonly completeSession: UploadSteps<string>['completeSession'] = async (input) => {
    await this.#written;
    return this.#repeated(stepOf('completeSession', input.uploadId), async (tries) => {
      if (!this.#context.may('complete')) throw stopped();
      return completeSession(this.#service, { ...input, mayHaveBeenSent: tries > 1 }, this.#context.signal);
    });
  };

  readonly readSession: UploadSteps<string>['readSession'] = ({ uploadId }) =>
    this.#repeated(stepOf('readSession', uploadId), () =>
      readTwice(this.#service, uploadId, this.#context.signal),
    );

  /** Rejects with `StillProcessing` after some seconds. */
  readonly pollSession: UploadSteps<string>['pollSession'] = async (input) => {
    const { signal } = this.#context;
    const step = stepOf('pollSession', input.uploadId);
    const { clock } = this.#service;
    const until = clock.now() + PROCESSING_IN_SLOT_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const outcome = await this.#repeated(step, () => pollSession(this.#service, input, signal));
      if (outcome.done) return outcome.session;
      if (clock.now() + pauseMs > until) throw new StillProcessing(input.completedAt);
      await clock.sleep(pauseMs, signal);
    }
  };

  readonly releaseSource: UploadSteps<string>['releaseSource'] = ({ source }) => {
    const { deps, accountId } = this.#context;
    return releaseInTime(this.#service.clock, source, sourcesOf(sourceAccess(deps, accountId, source)));
  };

  /** Sends a part within the limits of this worker and the account. */
  readonly sendPart: UploadSteps<string>['sendPart'] = async (input) => {
    const { partNumber, uploadId } = input;
    const ending = AbortSignal.any([this.#context.signal, this.#scope.signal]);
    let url: PartUrl<string> | undefined = input.url;
    let attempts = 0;
    const step = { name: 'sendPart', facts: { uploadId, partNumber }, isCall: false };
    const result = await this.#repeated(
      step,
      (tries) => {
        attempts = tries;
        const part = url === undefined ? input : { ...input, url };
        return this.#sendOnce(part, ending, (fresh) => (url = fresh));
      },
      ending,
    );
    const sent = { ...result, attempts };
    this.parts.push(sent);
    return sent;
  };

  async #sendOnce(
    part: PartInput<string>,
    signal: AbortSignal,
    onFreshUrl: (url: PartUrl<string>) => void,
  ): Promise<Omit<PartResult, 'attempts'>> {
    const { deps, accountId, queue } = this.#context;
    const from = { accountId, queue };
    const turn = { ...from, partNumber: part.partNumber };
    if (part.bytes <= SMALL_PART_BYTES) {
      await deps.accountRates.admitPart(turn, signal);
      return send(deps, { from, part, signal, hooks: { onFreshUrl } });
    }
    const leave = await admitPart(deps, turn, signal);
    return send(deps, { from, part, signal, hooks: { onFreshUrl } }).finally(leave);
  }

  async #once<T>(step: Step, attempt: number, run: () => Promise<T>): Promise<T> {
    const { deps, accountId } = this.#context;
    if (step.isCall !== false) await this.#admitted();
    const facts = { accountId, ...step.facts };
    try {
      return await countedStep(deps.metrics, { step: step.name, facts }, run);
    } catch (error) {
      throw step.isFirstContact === true ? deps.knownHosts.judge(error, attempt) : error;
    }
  }

  /** A long queue of calls is no failure of a step. */
  #admitted(): Promise<void> {
    const { deps, accountId, signal } = this.#context;
    const { clock } = this.#service;
    return withRetries({ clock, signal, retryForMs: STEP_RETRY_MS, onRetry: this.#row.onRetry }, () =>
      deps.accountRates.admitCall(accountId, signal),
    );
  }

  async #repeated<T>(
    step: Step,
    run: (tries: number) => Promise<T>,
    signal = this.#context.signal,
  ): Promise<T> {
    const { clock } = this.#service;
    const rules = { clock, signal, retryForMs, onRetry: this.#row.onRetry };
    let last = 1;
    const result = await withRetries(rules, (tries) => {
      last = tries;
      return this.#once(step, tries, () => run(tries));
    });
    if (last > 1) this.#row.onRetry(undefined);
    return result;
  }
}

function sessionIn(
  { uploadId, mediaId }: StartedSession,
  pinned: PinnedSource,
  fileType: string,
): EarlierSession {
  const { fileName, bytes } = pinned;
  const identity = sourceIdentity(pinned);
  return { uploadId, fileName, fileType, bytes, ...given({ mediaId, identity }) };
}

function stepOf(name: string, uploadId?: string): Step {
  return { name, facts: uploadId === undefined ? {} : { uploadId } };
}

function stopped(): MediaServiceError {
  return new MediaServiceError('Cancelled', 'the upload was stopped', { outcome: 'unsent' });
}

interface Step {
  readonly name: string;
  readonly facts: { readonly uploadId?: string; readonly partNumber?: number };
  /** False: it does not call the service. */
  readonly isCall?: boolean;
  /** An unknown name of a host that never answered then ends the upload within a minute. */
  readonly isFirstContact?: boolean;
}

/** A first contact with an unknown host is retried for a shorter time. */
function retryForMs(error: MediaServiceError): number {
  const own = error.facts.details?.['retryForMs'];
  return typeof own === 'number' ? own : STEP_RETRY_MS;
}
