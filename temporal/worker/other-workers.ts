import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../api/errors';
import type { ErrorCode } from '../../api/errors';
import { isJsonObject } from '../../api/json';
import { livingWorkers } from '../client/living-workers';
import { controlOfQueue } from '../upload/types';

/** Errors that may be this worker's alone: its folders, hosts, buckets, keys or clock are not those of the others. */
const OWN_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SourceNotAllowed', 'LoginRefused']);
/** The pauses between tries grow, because another worker may have no free slot for a while. All tries take 7 minutes. */
const [FIRST_PAUSE_MS, GROWTH, MAX_PAUSE_MS] = [1_000, 1.5, 30_000];
/** A worker that counts as alive may never take the step. */
const MAX_TRIES = 20;

/** A part of the heartbeat details of a step: the workers that have refused it. */
export interface Refused {
  readonly refusedBy?: readonly string[];
}

/**
 * Judges an error of a step by whether another worker may do it. While a living worker of the step's queue has not
 * refused it, the error is retried (`permanent: false`), and `refusedBy` is the detail for the try's last heartbeat.
 * Then it is final. Both name the workers. Any other error stays unchanged.
 */
export async function judgeRefusal(
  identity: string,
  error: unknown,
): Promise<{ readonly error: unknown } & Refused> {
  if (!(error instanceof MediaServiceError) || !OWN_CODES.has(error.code)) return { error };
  const { info } = Context.current();
  const details: unknown = info.heartbeatDetails;
  const before: unknown = isJsonObject(details) ? details['refusedBy'] : undefined;
  const refusedBy = [...new Set([...(Array.isArray(before) ? before.map(String) : []), identity])];
  const isFinal = info.attempt >= MAX_TRIES || !(await hasOthers(refusedBy));
  const workers = `${refusedBy.length === 1 ? 'worker' : 'workers'} ${refusedBy.join(', ')}`;
  const { facts } = error;
  const pauseMs = Math.min(MAX_PAUSE_MS, Math.ceil(FIRST_PAUSE_MS * GROWTH ** (info.attempt - 1)));
  const judged = new MediaServiceError(
    error.code,
    `${error.message} (${workers})`,
    {
      ...facts,
      details: { ...facts.details, permanent: isFinal },
      ...(isFinal ? {} : { outcome: 'unsent', retryAfterMs: pauseMs }),
    },
    { cause: error },
  );
  return isFinal ? { error: judged } : { error: judged, refusedBy };
}

async function hasOthers(refusedBy: readonly string[]): Promise<boolean> {
  const { client, info } = Context.current();
  const { namespace } = client.options;
  const queue = { control: controlOfQueue(info.taskQueue), queue: info.taskQueue };
  // If Temporal can't be asked, the next try asks again.
  const workers = await livingWorkers({ client, namespace, address: '' }, queue).catch(() => undefined);
  return workers === undefined || workers.some(({ identity }) => !refusedBy.includes(identity));
}
