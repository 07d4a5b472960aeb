import { MediaServiceError } from '../../../api/errors';
import { withRetries } from '../../../api/upload/run/with-retries';
import type { PartScope } from '../../../api/upload/run-upload';
import { completeSession } from '../../../api/upload/session/complete-session';
import { findOrphans } from '../../../api/upload/session/orphans';
import { pollSession } from '../../../api/upload/session/poll-session';
import { readSession } from '../../../api/upload/session/session-status';
import { isTerminal } from '../../../api/upload/session/session';
import { startSession } from '../../../api/upload/session/start-session';
import { requireUploadHost } from '../../../api/upload/session/upload-host';
import { pinSource, releaseSource } from '../../../api/upload/sources/read-source';
import type { PartInput, PartUrl, UploadSteps } from '../../../api/upload/upload-steps';
import { STEP_RETRY_MS } from '../../contract/upload';
import { accountOf, uploadServiceOf, type ActivityDeps } from '../context/activity-deps';
import { sourceAccess } from '../context/source-access';
import { admitPart, send } from '../send-parts';

/** How long a row waits for the end of its processing in its slot, ms. After that, its page waits for it. */
const PROCESSING_IN_SLOT_MS = 5_000;
/** Parts up to this size need little memory, so the slots of their rows limit them enough. */
const SMALL_PART_BYTES = 1024 * 1024;

/** What the rows of a page share. */
export interface RowStepsContext {
  readonly deps: ActivityDeps;
  readonly accountId: string;
  readonly queue: string;
  /** The fairness key of the batch. */
  readonly batch: string | undefined;
  /** Ends running steps. */
  readonly signal: AbortSignal;
  /** Whether a `start` or `complete` may be sent now. */
  readonly may: (what: 'start' | 'complete') => boolean;
}

/** The steps of one row as plain calls in this process, and the scope that ends its parts together. */
export interface RowSteps extends UploadSteps<string> {
  readonly openPartScope: () => PartScope;
}

/** A session that the service still processes. */
export class StillProcessing extends MediaServiceError {
  constructor(readonly completedAt: number) {
    super('ProcessingTimeout', 'The service still processes the file.', {});
  }
}

/** `onRetry`: called with each failure that is retried, and with undefined after the try that succeeded. */
export function rowSteps(
  context: RowStepsContext,
  onRetry: (error: MediaServiceError | undefined) => void,
): RowSteps {
  const { deps, accountId, signal, may } = context;
  const service = uploadServiceOf(deps, accountId);
  let parts = new AbortController();

  // A long queue of calls is no failure of this step.
  const admitted = (): Promise<() => void> =>
    withRetries({ clock: service.clock, signal, retryForMs: STEP_RETRY_MS, onRetry }, () =>
      deps.accountRates.admitCall(accountId, signal),
    );
  const once = async <T>(step: Step, attempt: number, run: () => Promise<T>): Promise<T> => {
    const release = step.isCall === false ? undefined : await admitted();
    const facts = { accountId, ...step.facts };
    try {
      return await deps.watchStep({ step: step.name, attempt, facts }, run);
    } catch (error) {
      throw step.isFirstContact === true ? deps.knownHosts.judge(error, attempt) : error;
    } finally {
      release?.();
    }
  };
  const repeated = async <T>(step: Step, run: (tries: number) => Promise<T>, ending = signal): Promise<T> => {
    let failed = false;
    const noted = (error: MediaServiceError): void => {
      failed = true;
      onRetry(error);
    };
    const result = await withRetries(
      { clock: service.clock, signal: ending, retryForMs, onRetry: noted },
      (tries) => once(step, tries, () => run(tries)),
    );
    if (failed) onRetry(undefined);
    return result;
  };
  const of = (name: string, uploadId?: string): Step => ({
    name,
    facts: uploadId === undefined ? {} : { uploadId },
  });

  return {
    openPartScope: () => {
      parts = new AbortController();
      const scope = parts;
      return { run: (step) => step(), cancel: () => scope.abort() };
    },
    pinSource: ({ source }) =>
      repeated({ ...of('pinSource'), isCall: false, isFirstContact: true }, () =>
        pinSource(sourceAccess(deps, accountId, source), source, signal),
      ),
    startSession: (input) =>
      once({ ...of('startSession'), isFirstContact: true }, 1, () => {
        if (!may('start')) throw stopped();
        return startSession(accountOf(deps, accountId).service, input, { signal });
      }),
    awaitUploadHost: async ({ pauseMs, failure: { code, message, facts } }) => {
      onRetry(new MediaServiceError(code, message, facts));
      await service.clock.sleep(pauseMs, signal);
      await repeated({ ...of('awaitUploadHost'), isFirstContact: true }, () =>
        requireUploadHost(service, signal),
      );
      onRetry(undefined);
    },
    findOrphans: (input) => repeated(of('findOrphans'), () => findOrphans(service, input, signal)),
    sendPart: (input) => sendPart(context, { input, repeated, scope: parts.signal }),
    completeSession: (input) =>
      repeated(of('completeSession', input.uploadId), async (tries) => {
        if (!may('complete')) throw stopped();
        const mayHaveBeenSent = input.mayHaveBeenSent === true || tries > 1;
        return completeSession(service, { ...input, mayHaveBeenSent }, signal);
      }),
    readSession: ({ uploadId }) =>
      repeated(of('readSession', uploadId), () => readSession(service, uploadId, signal)),
    pollSession: async (input) => {
      const step = of('pollSession', input.uploadId);
      const session = await repeated(step, () => readSession(service, input.uploadId, signal));
      if (isTerminal(session.status)) return session;
      const limits = { untilMs: PROCESSING_IN_SLOT_MS, wasRead: true };
      const outcome = await repeated(step, () => pollSession(service, { ...input, ...limits }, { signal }));
      if (outcome.done) return outcome.session;
      throw new StillProcessing(input.completedAt);
    },
    releaseSource: ({ source }) => releaseSource(sourceAccess(deps, accountId, source), source),
  };
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

interface Sending {
  readonly input: PartInput<string>;
  readonly repeated: <T>(step: Step, run: (tries: number) => Promise<T>, ending?: AbortSignal) => Promise<T>;
  /** Ends the parts of the row together. */
  readonly scope: AbortSignal;
}

/** Sends a part within the limits of this worker and the account. */
async function sendPart(
  { deps, accountId, queue, batch, signal }: RowStepsContext,
  { input, repeated, scope }: Sending,
): ReturnType<UploadSteps<string>['sendPart']> {
  const { partNumber, uploadId } = input;
  const from = { accountId, queue };
  const ending = AbortSignal.any([signal, scope]);
  let url: PartUrl<string> | undefined = input.url;
  let attempts = 0;
  const step = { name: 'sendPart', facts: { uploadId, partNumber }, isCall: false };
  const result = await repeated(
    step,
    async (tries) => {
      attempts = tries;
      const turn = { ...from, batch, partNumber };
      const isSmall = input.bytes <= SMALL_PART_BYTES;
      const leave = isSmall
        ? await deps.accountRates.admitPart(turn, ending)
        : await admitPart(deps, turn, ending);
      try {
        const part = url === undefined ? input : { ...input, url };
        return await send(deps, {
          from,
          part,
          signal: ending,
          hooks: { onFreshUrl: (fresh) => (url = fresh) },
        });
      } finally {
        leave?.();
      }
    },
    ending,
  );
  return { ...result, attempts };
}
