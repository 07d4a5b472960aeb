import { systemClock } from '../api/clock';
import { MediaServiceError } from '../api/errors';
import { askTemporal, isNotFound } from '../temporal/client/rpc-failure';
import type { TemporalConnection } from '../temporal/client/connect';
import type { WorkerNeed } from '../temporal/client/living-workers';
import { startedWithoutWorker, unservedQueues } from '../temporal/client/unserved-queues';
import type { UnservedQueue } from '../temporal/client/unserved-queues';
import { BATCH_WORKFLOW } from '../temporal/batch/types';
import { controlQueue, UPLOAD_WORKFLOW } from '../temporal/upload/types';
import { notFound, shownAdvice } from './error-answer';
import type { Call } from './route';

const TYPES = { upload: UPLOAD_WORKFLOW, batch: BATCH_WORKFLOW } as const;
const PLURALS = { upload: 'uploads', batch: 'batches' } as const;
export type Noun = keyof typeof TYPES;

type Asked = Pick<Call, 'connection' | 'queuePrefix' | 'caller'>;

/**
 * Resolves if the id is an upload or batch of the caller's account. Rejects with 404 for one of another account as for
 * an unknown one.
 */
export async function requireOwn(asked: Asked, id: string, noun: Noun): Promise<void> {
  if (await isOwn(asked, id, TYPES[noun])) return;
  throw notFound(
    `There is no ${noun} ${id} of this account.`,
    `List the ${PLURALS[noun]} to see their ids; ended ones stay visible for the retention time of Temporal.`,
  );
}

/** The account's workflows, and only those, are started on its control queue. */
async function isOwn({ connection, queuePrefix, caller }: Asked, id: string, type: string): Promise<boolean> {
  try {
    const described = await connection.lister.workflow.getHandle(id).describe();
    return described.type === type && described.taskQueue === controlQueue(queuePrefix, caller.accountId);
  } catch (error) {
    if (isNotFound(error)) return false;
    return askTemporal(connection, id, () => Promise.reject(error));
  }
}

/**
 * Waits for an end, this many seconds at most. How it ended does not matter here, and an error of Temporal shows in the
 * next call.
 */
export async function untilEnd(
  seconds: unknown,
  signal: AbortSignal,
  result: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  if (typeof seconds !== 'number' || seconds === 0) return;
  const enough = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  try {
    await result(enough);
  } catch (error) {
    if (!enough.aborted && !(error instanceof MediaServiceError)) throw error;
  }
  signal.throwIfAborted();
}

export interface Warning {
  readonly message: string;
  readonly hint?: string;
}

/** How long an answer about a queue is reused. */
const FRESH_MS = 5_000;
const MAX_KNOWN = 1_000;
/** By need, which has the names of queues. */
const known = new Map<string, { readonly until: number; readonly queues: Promise<UnservedQueue[]> }>();

/**
 * Warnings for each queue without a worker on which something waits that was started. `starts`: what waits, as `The
 * upload starts`; undefined if nothing does.
 */
export async function warningsOf(
  { connection }: Pick<Call, 'connection'>,
  need: WorkerNeed,
  starts: () => Promise<string | undefined>,
): Promise<Warning[]> {
  return unlessUnknown(async () => {
    const unserved = await unservedNow(connection, need);
    const waiting = unserved.length === 0 ? undefined : await starts();
    if (waiting === undefined) return [];
    return unserved.map((queue) => shownAdvice(startedWithoutWorker(queue, { starts: waiting })));
  });
}

/** What was asked for was done all the same. */
export async function unlessUnknown(warnings: () => Promise<Warning[]>): Promise<Warning[]> {
  try {
    return await warnings();
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    return [{ message: "It can't be checked whether a worker is running." }];
  }
}

/** Many uploads may be started in a second, and need the same workers. */
function unservedNow(connection: TemporalConnection, need: WorkerNeed): Promise<UnservedQueue[]> {
  const key = JSON.stringify(need);
  const now = systemClock.now();
  const before = known.get(key);
  if (before !== undefined && now < before.until) return before.queues;
  if (known.size >= MAX_KNOWN) known.clear();
  const queues = unservedQueues(connection, need);
  known.set(key, { until: now + FRESH_MS, queues });
  return queues;
}
