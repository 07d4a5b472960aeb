import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../api/errors';
import type { ErrorCode } from '../../api/errors';
import { isJsonObject } from '../../api/json';
import { livingWorkers } from '../client/living-workers';
import { growingDelayMs, inHeartbeatingActivity } from './in-activity';

/** Errors that another worker may not have, because its folders, hosts, buckets, keys or clock differ. */
const OWN_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SourceNotAllowed', 'LoginRefused']);
/** A worker that counts as alive may never take the step, or have no free slot for a while. All tries take 7 minutes. */
const MAX_TRIES = 20;

/** Judges the errors of one try of a step by whether another worker may do it. */
export class Refusals {
  #others: Promise<boolean> | undefined;
  /** Workers that have left the step to others, in this try or an earlier one: a detail for its heartbeats. */
  refusedBy: readonly string[] | undefined;

  /** `identity`: this worker. */
  constructor(private readonly identity: string) {
    const details: unknown = Context.current().info.heartbeatDetails;
    const before: unknown = isJsonObject(details) ? details['refusedBy'] : undefined;
    this.refusedBy = Array.isArray(before) ? before.map(String) : undefined;
  }

  /**
   * While a living worker of the step's queue has not refused it, the error is retried (`permanent: false`). Then it is
   * final. Both name the workers. Any other error stays unchanged. `isLeft`: another worker may do what this one may not.
   */
  async judge<E>(error: E) {
    if (!(error instanceof MediaServiceError) || !OWN_CODES.has(error.code)) return { error, isLeft: false };
    const { attempt } = Context.current().info;
    const refusedBy = [...new Set([...(this.refusedBy ?? []), this.identity])];
    this.#others ??= hasOthers(refusedBy);
    const isFinal = attempt >= MAX_TRIES || !(await this.#others);
    if (!isFinal) this.refusedBy = refusedBy;
    const workers = `${refusedBy.length === 1 ? 'worker' : 'workers'} ${refusedBy.join(', ')}`;
    const { code, message, facts } = error;
    const judged = {
      ...facts,
      details: { ...facts.details, permanent: isFinal },
      ...(isFinal ? {} : ({ outcome: 'unsent', retryAfterMs: growingDelayMs(attempt) } as const)),
    };
    const named = new MediaServiceError(code, `${message} (${workers})`, judged, { cause: error });
    return { error: named, isLeft: !isFinal };
  }
}

/** The error of this try of a step, judged. The next try knows who has refused the step. */
export async function judgedRefusal(identity: string, error: unknown): Promise<unknown> {
  const refusals = new Refusals(identity);
  const { error: judged } = await refusals.judge(error);
  const { refusedBy } = refusals;
  if (refusedBy !== undefined) Context.current().heartbeat({ refusedBy });
  return judged;
}

/** Like `inHeartbeatingActivity`, for a step that another worker may do if this one may not. */
export function byAnyWorker<T>(identity: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return inHeartbeatingActivity(async (signal) => {
    try {
      return await run(signal);
    } catch (error) {
      throw await judgedRefusal(identity, error);
    }
  });
}

async function hasOthers(refusedBy: readonly string[]): Promise<boolean> {
  const { client, info } = Context.current();
  const { namespace } = client.options;
  const temporal = { client, namespace, address: '' };
  // If Temporal can't be asked, the next try asks again.
  const workers = await livingWorkers(temporal, info.taskQueue).catch(() => undefined);
  return workers === undefined || workers.some(({ identity }) => !refusedBy.includes(identity));
}
