import { systemClock } from '../api/clock';
import { MediaServiceError } from '../api/errors';
import { given } from '../api/json';
import { mapAll } from '../api/map-in-order';
import { parseWhen } from '../api/when';
import { readBatchListing } from '../temporal/batch/client/list-batches';
import type { BatchListing } from '../temporal/batch/client/list-batches';
import type { LiveBatch } from '../temporal/batch/client/live-batch';
import { openBatch } from '../temporal/batch/client/open-batch';
import { batchWorkflowId } from '../temporal/batch/ids';
import { BATCH_WORKFLOW } from '../temporal/batch/types';
import { RUN_STATUSES } from '../temporal/client/list-executions';
import type { ListChoice } from '../temporal/client/list-executions';
import type { WorkerNeed } from '../temporal/client/living-workers';
import { askTemporal, ifKnown } from '../temporal/client/rpc-failure';
import { progressOf } from '../temporal/client/run-handle';
import { startedWithoutWorker, unservedQueues } from '../temporal/client/unserved-queues';
import type { WaitReason } from '../temporal/client/wait-reason';
import { readListing } from '../temporal/upload/client/list-uploads';
import type { UploadListing } from '../temporal/upload/client/list-uploads';
import { openUpload } from '../temporal/upload/client/open-upload';
import type { LiveProgress, UploadHandle } from '../temporal/upload/client/open-upload';
import { controlQueue, UPLOAD_WORKFLOW, uploadWorkflowId } from '../temporal/upload/types';
import { notFound, shownAdvice, shownFailure } from './error-answer';
import { MAX_WAIT_SECONDS } from './gateway-config';
import type { Answer, Call, Route } from './route';
import { flag, text, whole } from './schemas';

/** What an address names: `many` in the path, and one by its id. */
export const NOUNS = {
  upload: {
    ...{ one: 'Upload', many: 'Uploads', path: '/v1/uploads', type: UPLOAD_WORKFLOW },
    ...{ idOf: uploadWorkflowId, open: openUpload, read: readListing },
  },
  batch: {
    ...{ one: 'Batch', many: 'Batches', path: '/v1/batches', type: BATCH_WORKFLOW },
    ...{ idOf: batchWorkflowId, open: openBatch, read: readBatchListing },
  },
} as const;
export type Noun = keyof typeof NOUNS;
/** An upload or a batch as Temporal lists it. */
export type Listing = UploadListing & Partial<BatchListing>;

/**
 * The workflow that an id means: its own id, or the short name within the account. Rejects with 404 for one of another
 * account as for an unknown one.
 */
export async function ownWorkflow(
  noun: Noun,
  { connection, queuePrefix, caller, id }: Call,
): Promise<string> {
  const { accountId } = caller;
  const { type, many, idOf } = NOUNS[noun];
  const workflowId = id.startsWith(`${noun}/`) ? id : idOf(accountId, id);
  const handle = connection.lister.workflow.getHandle(workflowId);
  const found = await askTemporal(connection, workflowId, () => ifKnown(handle.describe()));
  // The account's workflows, and only those, are started on its control queue.
  if (found?.type === type && found.taskQueue === controlQueue(queuePrefix, accountId)) return workflowId;
  throw notFound(
    `There is no ${noun} ${workflowId} of this account.`,
    `List the ${many.toLowerCase()} to see their ids; ended ones stay visible for the retention time of Temporal.`,
  );
}

/** Answers with an upload or a batch, at once or when it has ended. */
export async function show(noun: Noun, call: Call): Promise<Answer> {
  const { connection } = call;
  const { open, read } = NOUNS[noun];
  const id = await ownWorkflow(noun, call);
  await untilEnd(call, (ended) => open(connection, id).result(ended));
  const listing = await read(connection, id);
  const { runId, closedAt } = listing;
  const more =
    closedAt === undefined
      ? await shownProgress(open(connection, id))
      : await shownEnd(open(connection, id, { runId }).result());
  return { body: { ...shownListing(listing), ...more } };
}

/**
 * Waits for an end, this many seconds at most. How it ended does not matter here, and an error of Temporal shows in the
 * next call.
 */
async function untilEnd({ query, signal }: Call, result: (ended: AbortSignal) => Promise<unknown>) {
  const { wait: seconds } = query;
  if (typeof seconds !== 'number' || seconds === 0) return;
  const enough = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  try {
    await result(enough);
  } catch (error) {
    if (!enough.aborted && !(error instanceof MediaServiceError)) throw error;
  }
  signal.throwIfAborted();
}

export function shownListing(listing: Listing): object {
  const { workflowId: id, runId: _run, unreadable: _key, label: name, closedAt: endedAt, ...rest } = listing;
  return given({ id, ...rest, name, endedAt });
}

async function shownProgress(handle: { progress(): Promise<LiveProgress | LiveBatch> }): Promise<object> {
  const live = await progressOf(handle);
  if (!('progress' in live)) return shownWaiting(live);
  const { waitReason, ...progress } = live.progress;
  return { progress, ...shownWaiting({ waitReason }) };
}

/** How an upload or a batch that has ended did so. */
export async function shownEnd(result: Promise<object>): Promise<object> {
  try {
    return { result: await result };
  } catch (error) {
    if (!(error instanceof MediaServiceError) || error.code === 'TemporalUnreachable') throw error;
    return { error: shownFailure(error) };
  }
}

/** Why it does not continue now, if it is so. */
export function shownWaiting({ waitReason }: { readonly waitReason?: WaitReason | undefined }): object {
  return waitReason === undefined ? {} : { waitReason: shownAdvice(waitReason) };
}

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

/** How lists are paged and filtered. */
const LISTED = {
  status: text(`Only those with this status: ${RUN_STATUSES.join(', ')}`, { enum: RUN_STATUSES }),
  name: text('Only those whose file name or batch id contains this text', { maxLength: 500 }),
  limit: whole('Items of a page; 100 otherwise', 1, 1_000),
  // Temporal's lists are read from their beginning, so far pages cost more.
  page: text('The `next` of the page before', { pattern: '^[1-9][0-9]{0,4}$' }),
  endedFrom: text('Only what ended at this time or later, latest end first', { maxLength: 50 }),
  endedTo: text('Only what ended before this time', { maxLength: 50 }),
};

interface Existing {
  /** Further fields by which a list is filtered. */
  readonly query?: NonNullable<Route['query']>;
  readonly list: (call: Call, choice: ListChoice) => Promise<readonly Listing[]>;
  /** Starts what has ended again, under the same id. */
  readonly retry: (call: Call, id: string) => Promise<Answer>;
}

/** List, show and await, retry, `pause`, `resume` and `cancel`: the same for uploads and batches. */
export function existingRoutes(noun: Noun, { query = {}, list, retry }: Existing): readonly Route[] {
  const { one, many, path } = NOUNS[noun];
  return [
    {
      method: 'GET',
      path,
      operationId: `list${many}`,
      summary: `List ${many.toLowerCase()}, newest first`,
      right: 'read',
      query: { ...LISTED, ...query },
      answer: 'Runs',
      handle: (call) => listed(noun, call, list),
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      operationId: `get${one}`,
      summary: `Show one of the ${many.toLowerCase()}, now or when it has ended`,
      right: 'read',
      query: { wait: whole('Seconds to wait for the end at most', 0, MAX_WAIT_SECONDS) },
      answer: 'Run',
      handle: (call) => show(noun, call),
    },
    {
      method: 'POST',
      path: `${path}/{id}/retry`,
      operationId: `retry${one}`,
      summary: 'Upload again what failed or was cancelled',
      right: 'control',
      query: noun === 'batch' ? { plan: PLAN } : {},
      answer: 'Started',
      handle: async (call) => ({ ...(await retry(call, await ownWorkflow(noun, call))), status: 202 }),
    },
    ...(Object.keys(DOES) as Request[]).map((request): Route => ({
      method: 'POST',
      path: `${path}/{id}/${request}`,
      operationId: `${request}${one}`,
      summary: DOES[request],
      right: 'control',
      answer: 'Started',
      handle: (call) => control(noun, request, call),
    })),
  ];
}

/** One page of a list that can only be read from its beginning. What failed in a period says why. */
async function listed(noun: Noun, call: Call, list: Existing['list']): Promise<Answer> {
  const { connection, query, signal, queuePrefix, caller } = call;
  const { endedFrom, endedTo, page = 0, limit = DEFAULT_LIMIT, status, name } = query;
  const to = momentOf('endedTo', endedTo) ?? systemClock.now();
  const period = { from: momentOf('endedFrom', endedFrom) ?? 0, to };
  const ended = (endedFrom ?? endedTo) === undefined ? undefined : period;
  const end = Number(page) + Number(limit);
  const read = await list(call, {
    ...{ accountId: caller.accountId, queuePrefix, limit: end + 1, signal, ended },
    ...(status === undefined ? {} : { status: RUN_STATUSES.filter((known) => known === status) }),
    ...(typeof name === 'string' ? { name } : {}),
  });
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
  const warnings = await warningsOf(call, need, `The request (${request}) takes effect`);
  return { status: 202, body: { id, warnings } };
}

interface Started {
  readonly handle: Pick<UploadHandle, 'workflowId' | 'joined' | 'warning'>;
  readonly need: WorkerNeed;
  /** What waits for a worker, as `The upload starts`. */
  readonly starts: string;
}

/** Answers a start. What was joined may have ended, so it waits for no worker. */
export async function startedAnswer(
  call: Call,
  { handle, need, starts }: Started,
  more: object = {},
): Promise<Answer> {
  const { workflowId: id, joined, warning: message } = handle;
  const waits = joined ? [] : await warningsOf(call, need, starts);
  const warnings = [...(message === undefined ? [] : [{ message }]), ...waits];
  return { status: joined ? 200 : 201, body: { id, joined, warnings, ...more } };
}

/** Warnings for each queue without a worker. */
async function warningsOf({ connection }: Call, need: WorkerNeed, starts: string): Promise<object[]> {
  try {
    const queues = await unservedQueues(connection, need);
    return queues.map((queue) => shownAdvice(startedWithoutWorker(queue, starts)));
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    // What was asked for was done all the same.
    return [{ message: "It can't be checked whether a worker is running." }];
  }
}
