import { hasCode, MediaServiceError } from '../api/errors';
import { given } from '../api/json';
import { readBatchListing } from '../temporal/batch/client/list-batches';
import type { BatchListing } from '../temporal/batch/client/list-batches';
import type { LiveBatch } from '../temporal/batch/client/live-batch';
import { openBatch } from '../temporal/batch/client/open-batch';
import { batchWorkflowId } from '../temporal/batch/ids';
import { BATCH_WORKFLOW } from '../temporal/batch/types';
import { errorOfRpc, isNotFound } from '../temporal/client/rpc-failure';
import { waitReasonOf } from '../temporal/client/wait-reason';
import type { WaitReason } from '../temporal/client/wait-reason';
import { readListing } from '../temporal/upload/client/list-uploads';
import type { UploadListing } from '../temporal/upload/client/list-uploads';
import { openUpload } from '../temporal/upload/client/open-upload';
import type { LiveProgress } from '../temporal/upload/client/open-upload';
import { controlQueue, UPLOAD_WORKFLOW, uploadWorkflowId } from '../temporal/upload/types';
import { notFound, shownAdvice, shownFailure } from './error-answer';
import type { Answer, Call } from './route';

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
  const found = await handle.describe().catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw errorOfRpc(connection, workflowId, error);
  });
  // The account's workflows, and only those, are started on its control queue.
  if (found?.type === type && found.taskQueue === controlQueue(queuePrefix, accountId)) return workflowId;
  throw notFound(
    `There is no ${noun} ${workflowId} of this account.`,
    `List the ${many.toLowerCase()} to see their ids; ended ones stay visible for the retention time of Temporal.`,
  );
}

/** Answers with an upload or a batch, at once or when it has ended. */
export async function show(noun: Noun, call: Call): Promise<Answer> {
  const { connection, query, signal } = call;
  const { open, read } = NOUNS[noun];
  const id = await ownWorkflow(noun, call);
  await untilEnd(query['wait'], signal, (ended) => open(connection, id).result(ended));
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
async function untilEnd(
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

export function shownListing(listing: Listing): object {
  const { workflowId: id, runId: _run, unreadable: _key, label: name, closedAt: endedAt, ...rest } = listing;
  return given({ id, ...rest, name, endedAt });
}

async function shownProgress(handle: { progress(): Promise<LiveProgress | LiveBatch> }): Promise<object> {
  try {
    const { waitReason, ...known } = await handle.progress();
    // They are for the client in TypeScript.
    const { pagesRunning: _ids, ended: _ended, ...progress } = { pagesRunning: [], ended: {}, ...known };
    return { progress, ...shownWaiting({ waitReason }) };
  } catch (error) {
    if (!hasCode(error, 'NoWorker')) throw error;
    return shownWaiting({ waitReason: waitReasonOf(error) });
  }
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
