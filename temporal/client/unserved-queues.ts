import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/clock';
import { controlQueue, hostOfQueue, hostQueue } from '../upload/types';
import type { TemporalConnection } from './connect';
import { livingWorkers } from './living-workers';
import type { HostNeed, WorkerNeed, WorkQueue } from './living-workers';

/** How long an answer about a queue is reused. */
const FRESH_MS = 5_000;
/** A client of the HTTP door can name any machine. */
const MAX_KNOWN = 1_000;

/** A queue that no living worker serves. */
export interface UnservedQueue {
  readonly queue: string;
  /** Set: only a worker on this machine serves it. */
  readonly host?: string;
  /** Why only this machine can do the work. */
  readonly because?: string;
}

/**
 * The queues in `need` that no living worker serves. Empty: all are served. A worker serves the control queue of its
 * account and the queue of its machine. So the control queue is named only if no machine lacks a worker. `look` may
 * know answers of the last seconds.
 */
export async function unservedQueues(
  connection: TemporalConnection,
  { queuePrefix, accountId, hosts }: WorkerNeed,
  look = createUnservedLook(connection),
): Promise<UnservedQueue[]> {
  const control = controlQueue(queuePrefix, accountId);
  const missing = async (queue: string, need?: HostNeed): Promise<UnservedQueue[]> =>
    (await look({ control, queue })) === undefined ? [] : [{ queue, ...need }];
  const onHosts = await Promise.all(
    hosts.map((need) => missing(hostQueue(queuePrefix, accountId, need.host), need)),
  );
  return onHosts.flat().length > 0 ? onHosts.flat() : missing(control);
}

/**
 * Resolves if living workers serve every queue in `need`. Otherwise rejects with `NoWorker`, which names the first
 * unserved queue and says what to do.
 */
export async function requireWorkers(connection: TemporalConnection, need: WorkerNeed): Promise<void> {
  const [first] = await unservedQueues(connection, need);
  if (first !== undefined) throw noWorker(first);
}

/** Reports for any queue whether it is unserved. An answer for a queue is reused for some seconds. */
export function createUnservedLook(
  connection: TemporalConnection,
): (queue: WorkQueue) => Promise<UnservedQueue | undefined> {
  const known = new Map<string, { readonly until: number; readonly answer: Promise<boolean> }>();
  const isServed = ({ control, queue }: WorkQueue): Promise<boolean> => {
    const before = known.get(queue);
    const now = systemClock.now();
    if (before !== undefined && now < before.until) return before.answer;
    if (known.size >= MAX_KNOWN) known.clear();
    const answer = livingWorkers(connection, { control, queue }).then((workers) => workers.length > 0);
    known.set(queue, { until: now + FRESH_MS, answer });
    return answer;
  };
  return async (work) => {
    if (await isServed(work)) return undefined;
    const host = hostOfQueue(work.control, work.queue);
    return { queue: work.queue, ...(host === undefined ? {} : { host }) };
  };
}

/** The error of "no worker serves this queue". */
export function noWorker(unserved: UnservedQueue): MediaServiceError {
  return new MediaServiceError('NoWorker', `No worker serves the task queue ${unserved.queue}.`, {
    hint: runWorker(unserved),
    details: { taskQueue: unserved.queue },
  });
}

/** `because`: of something that is on the host. After a start, only the host is known. */
function runWorker({ host, because }: UnservedQueue): string {
  if (host === undefined)
    return 'Run `media-service worker` with the secrets of this account, the same Temporal namespace and the same task queue prefix.';
  return because === undefined
    ? `Run \`media-service worker\` on ${host}.`
    : `Run \`media-service worker\` on ${host}, because ${because}. If every worker mounts it at this path, {sharedPath}.`;
}

interface StartedWarning {
  /** The start of the message, as `The upload starts`. */
  readonly starts: string;
  /** The machine of the reader, if a worker can run there. Unset in n8n. */
  readonly here?: string | undefined;
}

/** The warning that something was started but waits, because no worker serves one of its queues. */
export function startedWithoutWorker(
  { queue, host }: UnservedQueue,
  { starts, here }: StartedWarning,
): { readonly message: string; readonly hint: string } {
  const isHere = here !== undefined && (host === undefined || host === here);
  const there = host === undefined ? 'with the secrets of this account' : `on ${host}`;
  const where = isHere ? 'on this machine' : there;
  return {
    message: `No worker serves the task queue ${queue} yet`,
    hint: `${starts} when a worker does. Run \`media-service worker\` ${where}.`,
  };
}
