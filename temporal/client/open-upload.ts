import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/system-clock';
import type { UploadProgress, UploadResult } from '../../api/upload/request/upload-request';
import { PAUSE_SIGNAL, PROGRESS_QUERY, RESUME_SIGNAL } from '../contract';
import type { UploadMemo } from '../contract';
import { errorOfFailure } from '../failure';
import { bytesInFlight } from './bytes-in-flight';
import type { TemporalConnection } from './connect';
import { noWorker } from './pollers';
import { errorOfRpc, isDeadline, isUnreachable } from './rpc-failure';
import type { UploadHandle } from './upload-handle';

/** A query is a billable action: often while somebody has just begun to look, every five seconds at most later. */
const FIRST_QUERY_INTERVAL_MS = 1_000;
const QUERY_INTERVAL_MS = 5_000;
const INTERVALS_PER_AGE = 5;
const QUERY_DEADLINE_MS = 10_000;
/** How long a wait for the result bears a server that does not answer. */
const UNREACHABLE_LIMIT_MS = 5 * 60_000;
const RECONNECT_PAUSE_MS = 2_000;
/** A wait that lasted longer than this had found its server. */
const ANSWERED_MS = 60_000;

/** A handle of an upload that was started before, by anybody. Sends nothing; an id that does not exist shows at the first call. */
export function openUpload(
  connection: TemporalConnection,
  workflowId: string,
  known: { readonly joined?: boolean; readonly runId?: string } = {},
): UploadHandle {
  const { client } = connection;
  const handle = client.workflow.getHandle(workflowId, known.runId);
  const asked = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw errorOfRpc(connection, workflowId, error);
    }
  };
  // Temporal itself takes a cancellation of what has ended, and confuses the ended with the unknown.
  const steer = async (call: () => Promise<unknown>): Promise<void> => {
    const { status } = await asked(() => handle.describe());
    if (status.name !== 'RUNNING') throw alreadyEnded(workflowId, status.name);
    await asked(call);
  };
  let latest: { readonly at: number; readonly progress: UploadProgress } | undefined;
  let firstAt: number | undefined;
  const isDue = (now: number): boolean => {
    firstAt ??= now;
    const interval = Math.max(FIRST_QUERY_INTERVAL_MS, (now - firstAt) / INTERVALS_PER_AGE);
    return latest === undefined || now - latest.at >= Math.min(interval, QUERY_INTERVAL_MS);
  };
  return {
    workflowId,
    joined: known.joined ?? false,
    ...(known.runId === undefined ? {} : { runId: known.runId }),
    async progress() {
      const description = await asked(() => handle.describe());
      if (latest === undefined || isDue(systemClock.now())) {
        const progress = await asked(() => queryProgress(connection, handle, description));
        latest = { at: systemClock.now(), progress };
      }
      return { ...latest.progress, bytesInFlight: await bytesInFlight(client, description) };
    },
    result: (signal) => waitForResult(connection, handle, signal),
    pause: () => steer(() => handle.signal(PAUSE_SIGNAL)),
    resume: () => steer(() => handle.signal(RESUME_SIGNAL)),
    cancel: () => steer(() => handle.cancel()),
  };
}

function alreadyEnded(workflowId: string, status: string): MediaServiceError {
  return new MediaServiceError(
    'RequestRefused',
    `The upload ${workflowId} has already ended (${status}): there is nothing to steer.`,
    { outcome: 'refused', details: { workflowId, status } },
  );
}

async function queryProgress(
  { connection }: TemporalConnection,
  handle: WorkflowHandle,
  { taskQueue }: WorkflowExecutionDescription,
): Promise<UploadProgress> {
  try {
    return await connection.withDeadline(systemClock.now() + QUERY_DEADLINE_MS, () =>
      handle.query<UploadProgress>(PROGRESS_QUERY),
    );
  } catch (error) {
    throw isDeadline(error) ? noWorker(taskQueue) : error;
  }
}

async function waitForResult(
  connection: TemporalConnection,
  handle: WorkflowHandle,
  signal: AbortSignal | undefined,
): Promise<UploadResult> {
  const wait = (): Promise<UploadResult> => handle.result();
  let giveUpAt: number | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const askedAt = systemClock.now();
    try {
      return await (signal === undefined ? wait() : connection.connection.withAbortSignal(signal, wait));
    } catch (error) {
      signal?.throwIfAborted();
      if (isWorkflowFailure(error)) throw await endedBadly(handle, error);
      const now = systemClock.now();
      if (giveUpAt === undefined || now - askedAt > ANSWERED_MS) giveUpAt = now + UNREACHABLE_LIMIT_MS;
      if (!isUnreachable(error) || now > giveUpAt) throw errorOfRpc(connection, handle.workflowId, error);
      await systemClock.sleep(RECONNECT_PAUSE_MS, signal);
    }
  }
}

function isWorkflowFailure(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowFailedError';
}

/** Temporal's cancellation carries no words of ours: what stays behind stands in the memo. */
async function endedBadly(handle: WorkflowHandle, error: unknown): Promise<MediaServiceError> {
  const failure = errorOfFailure(error);
  if (failure.code !== 'Cancelled') return failure;
  const description = await handle.describe();
  const { cancelled, uploadId, mediaId }: UploadMemo = description.memo ?? {};
  const details = {
    ...(uploadId === undefined ? {} : { uploadId }),
    ...(mediaId === undefined ? {} : { mediaId }),
  };
  const hint = cancelled?.hint;
  return new MediaServiceError(
    'Cancelled',
    cancelled?.message ?? failure.message,
    { details, ...(hint === undefined ? {} : { hint }) },
    { cause: error },
  );
}
