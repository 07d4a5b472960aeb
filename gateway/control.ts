import { systemClock } from '../api/clock';
import { MediaServiceError } from '../api/errors';
import { given } from '../api/json';
import { mapAll } from '../api/map-in-order';
import { parseWhen } from '../api/when';
import type { WorkerNeed } from '../temporal/client/living-workers';
import { startedWithoutWorker, unservedQueues } from '../temporal/client/unserved-queues';
import { shownAdvice } from './error-answer';
import { MAX_WAIT_SECONDS } from './gateway-config';
import { NOUNS, ownWorkflow, show, shownEnd, shownListing } from './own-workflow';
import type { Listing, Noun } from './own-workflow';
import type { Answer, Call, Route } from './route';
import { flag, ref, text, whole } from './schemas';

const DOES = {
  pause: 'Begin no new part or row; what is being sent ends',
  resume: 'Continue after a pause',
  cancel: 'End it; what was uploaded stays in the service',
} as const;
type Request = keyof typeof DOES;

/** Field of a start of a batch. */
export const PLAN = flag(
  'Answer when a worker has read the rows, or refused them: after half a minute at most',
);

const DEFAULT_LIMIT = 100;
/** Failures of a list that are read at the same time. */
const READ_AT_ONCE = 10;

/** How lists are paged, and their fields for what ended in a period. The other filters must then be unset. */
const LISTED = {
  limit: whole('Items of a page; 100 otherwise', 1, 1_000),
  // Temporal's lists are read from their beginning, so far pages cost more.
  page: text('The `next` of the page before', { pattern: '^[1-9][0-9]{0,4}$' }),
  endedFrom: text('Only what ended at this time or later, latest end first', { maxLength: 50 }),
  endedTo: text('Only what ended before this time', { maxLength: 50 }),
};

/** What ended in it is listed; epoch ms. */
export type Period = Readonly<Record<'from' | 'to', number>>;

interface Existing {
  /** Fields by which a list is filtered. */
  readonly query: NonNullable<Route['query']>;
  /** The first `limit` of them. `ended`: only what ended in this period. */
  readonly list: (call: Call, limit: number, ended?: Period) => Promise<readonly Listing[]>;
  /** Starts what has ended again, under the same id. */
  readonly retry: (call: Call, id: string) => Promise<Answer>;
}

/** List, show and await, retry, `pause`, `resume` and `cancel`: the same for uploads and batches. */
export function existingRoutes(noun: Noun, { query, list, retry }: Existing): readonly Route[] {
  const { one, many, path } = NOUNS[noun];
  return [
    {
      method: 'GET',
      path,
      operationId: `list${many}`,
      summary: `List ${many.toLowerCase()}, newest first`,
      right: 'read',
      query: { ...LISTED, ...query },
      answers: { 200: ref(many) },
      handle: (call) => listed(noun, call, list),
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      operationId: `get${one}`,
      summary: `Show one of the ${many.toLowerCase()}, now or when it has ended`,
      right: 'read',
      query: { wait: whole('Seconds to wait for the end at most', 0, MAX_WAIT_SECONDS) },
      answers: { 200: ref(one) },
      handle: (call) => show(noun, call),
    },
    {
      method: 'POST',
      path: `${path}/{id}/retry`,
      operationId: `retry${one}`,
      summary: 'Upload again what failed or was cancelled',
      right: 'control',
      query: noun === 'batch' ? { plan: PLAN } : {},
      answers: { 202: ref('Started') },
      handle: async (call) => ({ ...(await retry(call, await ownWorkflow(noun, call))), status: 202 }),
    },
    ...(Object.keys(DOES) as Request[]).map((request): Route => ({
      method: 'POST',
      path: `${path}/{id}/${request}`,
      operationId: `${request}${one}`,
      summary: DOES[request],
      right: 'control',
      answers: { 202: ref('Started') },
      handle: (call) => control(noun, request, call),
    })),
  ];
}

/** One page of a list that can only be read from its beginning. What failed in a period says why. */
async function listed(noun: Noun, call: Call, list: Existing['list']): Promise<Answer> {
  const { connection, query, signal } = call;
  const { endedFrom, endedTo, page = 0, limit = DEFAULT_LIMIT } = query;
  const to = momentOf('endedTo', endedTo) ?? systemClock.now();
  const period = { from: momentOf('endedFrom', endedFrom) ?? 0, to };
  const ended = (endedFrom ?? endedTo) === undefined ? undefined : period;
  const end = Number(page) + Number(limit);
  const read = await list(call, end + 1, ended);
  const items = await mapAll(read.slice(Number(page), end), READ_AT_ONCE, async (listing) => {
    const { workflowId, runId, status } = listing;
    const isFailed = ended !== undefined && status !== 'COMPLETED';
    const handle = NOUNS[noun].open(connection, workflowId, { runId });
    return { ...shownListing(listing), ...(isFailed ? await shownEnd(handle.result(signal)) : {}) };
  });
  return { body: { items, ...given({ next: read.length > end ? String(end) : undefined }) } };
}

export function momentOf(field: string, text: Call['query'][string]): number | undefined {
  if (typeof text !== 'string') return undefined;
  return Date.parse(parseWhen(text, { now: systemClock.now(), field }));
}

async function control(noun: Noun, request: Request, call: Call): Promise<Answer> {
  const { connection, queuePrefix, caller } = call;
  const id = await ownWorkflow(noun, call);
  await NOUNS[noun].open(connection, id)[request]();
  // Temporal has taken the request, which waits if no worker runs.
  const need = { queuePrefix, accountId: caller.accountId, hosts: [] };
  const takesEffect = `The request (${request}) takes effect`;
  return { status: 202, body: { id, warnings: await warningsOf(call, need, () => takesEffect) } };
}

interface Warning {
  readonly message: string;
  readonly hint?: string;
}

/**
 * Warnings for each queue without a worker on which something waits. `starts`: what waits, as `The upload starts`;
 * undefined if nothing does.
 */
export async function warningsOf(
  { connection }: Pick<Call, 'connection'>,
  need: WorkerNeed,
  starts: () => string | undefined | Promise<string | undefined>,
): Promise<Warning[]> {
  try {
    const queues = await unservedQueues(connection, need);
    const waiting = queues.length === 0 ? undefined : await starts();
    if (waiting === undefined) return [];
    return queues.map((queue) => shownAdvice(startedWithoutWorker(queue, waiting)));
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    // What was asked for was done all the same.
    return [{ message: "It can't be checked whether a worker is running." }];
  }
}
