import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/system-clock';
import { controlQueue, hostOfQueue, hostQueue } from '../contract';
import type { TemporalConnection } from './connect';
import { livingWorkers } from './living-workers';
import type { WorkQueue } from './living-workers';
import type { HostNeed, WorkerNeed } from './worker-need';

/** For so long an answer about a queue is used again. */
const FRESH_MS = 5_000;

/** A queue that no living worker serves. */
export interface UnservedQueue {
  readonly queue: string;
  /** Set: only a worker on this machine serves it. */
  readonly host?: string;
  /** Why it has to be this machine. */
  readonly because?: string;
}

/**
 * The queues of a need that no living worker serves; empty: all are served. A worker serves the control queue of its account together with the queue of its
 * machine, so the control queue is named only if no machine is missing.
 */
export async function unservedQueues(
  connection: TemporalConnection,
  { queuePrefix, accountId, hosts }: WorkerNeed,
): Promise<UnservedQueue[]> {
  const control = controlQueue(queuePrefix, accountId);
  const missing = async (queue: string, need?: HostNeed): Promise<UnservedQueue[]> => {
    const workers = await livingWorkers(connection, { control, queue });
    return workers.length > 0 ? [] : [{ queue, ...need }];
  };
  const onHosts = await Promise.all(
    hosts.map((need) => missing(hostQueue(queuePrefix, accountId, need.host), need)),
  );
  return onHosts.flat().length > 0 ? onHosts.flat() : missing(control);
}

/** Resolves if living workers serve every queue of the need; rejects with `NoWorker`, which names the first that none serves, and says what to do. */
export async function requireWorkers(connection: TemporalConnection, need: WorkerNeed): Promise<void> {
  const [first] = await unservedQueues(connection, need);
  if (first !== undefined) throw noWorker(first);
}

/** Tells of any queue whether it is unserved; one answer for a queue holds for some seconds. */
export function createUnservedLook(
  connection: TemporalConnection,
): (queue: WorkQueue) => Promise<UnservedQueue | undefined> {
  const known = new Map<string, { readonly until: number; readonly answer: Promise<boolean> }>();
  const isServed = ({ control, queue }: WorkQueue): Promise<boolean> => {
    const before = known.get(queue);
    const now = systemClock.now();
    if (before !== undefined && now < before.until) return before.answer;
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
  return new MediaServiceError('NoWorker', `No worker asks for work on ${unserved.queue}.`, {
    hint: hintOf(unserved),
    details: { taskQueue: unserved.queue },
  });
}

function hintOf({ host, because }: UnservedQueue): string {
  if (host === undefined) {
    return 'Run `media-service worker` with the secrets of this account, the same Temporal namespace and the same task queue prefix.';
  }
  const there = `Run \`media-service worker\` on ${host}`;
  const named = '(MEDIA_SERVICE_HOST names a machine)';
  // Of what was started already only the machine is known, and nothing else helps.
  if (because === undefined) return `${there} ${named}.`;
  const everywhere =
    'pass --shared-path (in n8n: leave the host field empty) if every worker mounts it at this path';
  return `${there}, since ${because} ${named}, or ${everywhere}.`;
}

export interface StartedWarning {
  /** What was started, as `The upload starts`. */
  readonly starts: string;
  /** The machine of whoever reads this, if a worker can run there; unset in n8n. */
  readonly here?: string | undefined;
}

/** What to say of something that was started although no worker serves one of its queues: it waits. */
export function startedWithoutWorker(
  { queue, host }: UnservedQueue,
  { starts, here }: StartedWarning,
): { readonly message: string; readonly hint: string } {
  const anywhere = here === undefined ? 'with the secrets of this account' : 'on this machine';
  const where = host === undefined || host === here ? anywhere : `on ${host}`;
  return {
    message: `No worker has asked for work on ${queue} yet`,
    hint: `${starts} when one does: run \`media-service worker\` ${where}.`,
  };
}
