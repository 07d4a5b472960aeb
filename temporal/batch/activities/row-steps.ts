import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { withRetries } from '../../../api/retry';
import type { Service } from '../../../api/service/service';
import { plainSteps } from '../../../api/upload/engine/direct-steps';
import type { DirectSteps, PlainDriver, TriedStep } from '../../../api/upload/engine/direct-steps';
import type { EarlierSession, Orphan, UploadRequest } from '../../../api/upload/types';
import { startSession } from '../../../api/upload/protocol/start-session';
import type { PinnedSource } from '../../../api/upload/sources/source';
import { sourcesOf } from '../../../files/sources/read-source';
import { countedPart, countedStep } from '../../telemetry/activities';
import { STEP_RETRY_MS } from '../../upload/types';
import { accountOf, sourceAccess } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import { send } from '../../worker/limits/admitted-part';
import type { Refusals } from '../../worker/other-workers';
import type { JournalLine } from '../files/page-journal';
import type { RowName } from '../files/result-line';
import type { BatchOptions } from '../types';

/** Steps that don't call the service. */
const NO_CALLS: readonly string[] = ['pinSource', 'sendPart'];
/** An unknown name of a host that never answered then ends the upload within a minute. */
const FIRST_CONTACTS: readonly string[] = ['pinSource', 'startSession', 'awaitUploadHost'];

/** What all rows of a page share. */
export interface RowContext {
  readonly deps: ActivityDeps;
  readonly accountId: string;
  readonly queue: string;
  /** Rows that this worker may not upload are left to others. */
  readonly refusals: Refusals;
  /** Ends running steps. */
  readonly signal: AbortSignal;
  /** Whether a `start` or `complete` may be sent now. */
  readonly may: (what: 'start' | 'complete') => boolean;
  /** Writes a line to the page journal. */
  readonly write: (line: JournalLine) => Promise<void>;
  readonly options: BatchOptions;
  /** A step of the row failed and is retried. Undefined: it is not retried any more. */
  readonly onRetry: (id: string, error: MediaServiceError | undefined) => void;
}

export interface RowUpload {
  readonly name: RowName;
  readonly request: UploadRequest;
  /** The earlier session in the request is of this run of the batch: its worker was lost. */
  readonly isContinued: boolean;
}

/** One row: its steps in this process, and what they learned. Its session is journaled before `complete` is sent. */
export class RowRun {
  /** The newest session of the row. */
  session: EarlierSession | undefined;
  /** When `complete` was accepted, epoch ms, if the service still has to process the file. */
  processingSince: number | undefined;
  readonly steps: DirectSteps;
  readonly #driver: RowDriver;
  /** Of starts whose answers were lost. */
  readonly #orphans: Orphan[] = [];
  #written: Promise<void> | undefined;

  constructor(
    readonly context: RowContext,
    readonly row: RowUpload,
  ) {
    this.session = row.request.earlier;
    this.#driver = rowDriver(context, row);
    const sources = sourcesOf(sourceAccess(context.deps, context.accountId));
    const plain = plainSteps(this.#driver.service, sources, this.#driver);
    let pinning: Promise<PinnedSource> | undefined;
    this.steps = {
      ...plain,
      pinSource: (input) => (pinning ??= plain.pinSource(input)),
      startSession: (input) =>
        this.#driver.once({ name: 'startSession' }, 1, () => {
          if (!context.may('start')) throw stopped();
          return startSession(this.#driver.service, input, { signal: context.signal });
        }),
      findOrphans: async (input) => {
        const found = await plain.findOrphans(input);
        this.#orphans.push(...found.orphans);
        return found;
      },
      completeSession: async (input) => {
        await this.#written;
        return plain.completeSession(input);
      },
      // The upload ends as if it were completed, and `pollRow` waits for the end.
      pollSession: ({ uploadId, completedAt }) => {
        this.processingSince = completedAt;
        return Promise.resolve({ uploadId, status: 'COMPLETED', parts: [] });
      },
    };
  }

  /** Journals a session of this run. */
  sessionBegan(session: EarlierSession): void {
    if (session.uploadId === this.session?.uploadId) return;
    this.session = session;
    const { context, row } = this;
    this.#written = context.write({ id: row.name.id, session, orphans: [...this.#orphans] });
    // `complete` awaits it.
    this.#written.catch(() => undefined);
  }
}

interface RowDriver extends PlainDriver {
  readonly service: Service;
  once<T>(step: TriedStep, tries: number, run: () => Promise<T>): Promise<T>;
}

/** Tries the steps of one row within the limits of this worker and the account. */
function rowDriver(context: RowContext, { name: { id } }: RowUpload): RowDriver {
  const { deps, accountId, may } = context;
  const { service } = accountOf(deps, accountId);
  const onRetry = (error: MediaServiceError | undefined): void => context.onRetry(id, error);
  const rules = { clock: service.clock, signal: context.signal, retryForMs, onRetry };

  async function once<T>(step: TriedStep, tries: number, run: () => Promise<T>): Promise<T> {
    const { name } = step;
    // A long queue of calls is no failure of a step.
    if (!NO_CALLS.includes(name))
      await withRetries(rules, () => deps.accountRates.admitCall(accountId, context.signal));
    const counted = { metrics: deps.metrics, account: accountId, step: name };
    try {
      return await (name === 'sendPart' ? run() : countedStep(counted, run));
    } catch (error) {
      throw FIRST_CONTACTS.includes(name) ? deps.knownHosts.judge(error, tries) : error;
    }
  }

  return {
    ...{ service, signal: context.signal, onWait: onRetry, once },
    async retried(step, run) {
      let last = 1;
      const result = await withRetries({ ...rules, ...given({ signal: step.signal }) }, (tries) => {
        last = tries;
        return once(step, tries, () => {
          if (step.name === 'completeSession' && !may('complete')) throw stopped();
          return run(tries);
        });
      });
      if (last > 1 || step.name === 'awaitUploadHost') onRetry(undefined);
      return result;
    },
    sendOnce: (part, hooks) =>
      countedPart({ metrics: deps.metrics, account: accountId }, () =>
        send(deps, { from: context, part, hooks }),
      ),
  };
}

function stopped(): MediaServiceError {
  return new MediaServiceError('Cancelled', 'the upload was stopped', { outcome: 'unsent' });
}

/** A first contact with an unknown host is retried for a shorter time. */
function retryForMs(error: MediaServiceError): number {
  const own = error.facts.details?.['retryForMs'];
  return typeof own === 'number' ? own : STEP_RETRY_MS;
}
