import { randomBytes, randomUUID } from 'node:crypto';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Account, ServiceOptions } from '../../../api/account';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { digestIdentity } from '../../../api/upload/sources/source-identity';
import { labelOfSource } from '../../../api/upload/sources/source-rules';
import type { UploadRequest } from '../../../api/upload/request/upload-request';
import { controlQueue, DEFAULT_QUEUE_PREFIX, leftBy, UPLOAD_WORKFLOW, uploadWorkflowId } from '../types';
import type { Left, UploadMemo, UploadWorkflowInput } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { isCancelling } from '../../client/list-executions';
import { differenceText, differingParts, inputDigest, refuseOtherContent } from './input-digest';
import { openUpload } from './open-upload';
import type { UploadHandle } from './open-upload';
import {
  asAmbiguous,
  errorOfRpc,
  errorOfStart,
  isAlreadyStarted,
  isNotFound,
} from '../../client/rpc-failure';
import { uploadInput } from './upload-input';

export interface StartUpload {
  readonly account: Account;
  readonly request: UploadRequest;
  /** Default `media-service`. */
  readonly queuePrefix?: string;
  /** Upload again although the same was uploaded before: makes a new ingest key. Default false. */
  readonly again?: boolean;
  /** The same as for the worker. Only `allowPlainHttp` matters here. */
  readonly serviceOptions?: ServiceOptions;
  /**
   * What identifies the content of a file on this machine now: `path;bytes=<size>;mtime=<ns since 1970>`. Unset: a start
   * that joins an upload warns that the content was not compared.
   */
  readonly identity?: string | undefined;
}

/**
 * Starts an upload, or joins one. A running or completed upload with the same ingest key is joined if source, media
 * and metadata mean the same and the file has the same content. Otherwise the start is refused with `InputDiffers`. A
 * failed, cancelled or terminated upload is started again. If its `complete` may have been sent, its session is read
 * first, so that nothing is uploaded twice. Checks everything possible before anything is sent, and seals source URLs.
 * Returns as soon as Temporal has accepted the upload, with or without a worker: see `unservedQueues`.
 *
 * An error whose `outcome` is `ambiguous` means that Temporal may have accepted the upload nevertheless.
 */
export async function startUpload(connection: TemporalConnection, start: StartUpload): Promise<UploadHandle> {
  const queuePrefix = start.queuePrefix ?? DEFAULT_QUEUE_PREFIX;
  const request = start.again === true ? withNewKey(start.request) : start.request;
  const { account, serviceOptions } = start;
  const input = uploadInput({ account, request, queuePrefix, ...given({ serviceOptions }) });
  const { accountId } = input.account;
  const workflowId = uploadWorkflowId(accountId, input.ingestKey);
  // Digest of the source before sealing. Sealed URLs with different paths can look the same.
  const digest = inputDigest({ ...input, source: request.source });
  for (;;) {
    const left = await leftByLast(connection, { workflowId, digest });
    const starting = { workflowId, digest, input: { ...input, ...left }, afterEnded: left !== undefined };
    const handle = await startOrJoin(connection, { ...starting, identity: start.identity });
    if (handle !== undefined) return handle;
  }
}

/**
 * What the last upload with this id left, if it ended without a result. Undefined: it has not ended so, or there is
 * none.
 */
async function leftByLast(
  connection: TemporalConnection,
  { workflowId, digest }: Pick<Starting, 'workflowId' | 'digest'>,
): Promise<Left | undefined> {
  const handle = connection.client.workflow.getHandle(workflowId);
  try {
    const { status, memo } = await handle.describe();
    const last: UploadMemo = memo ?? {};
    if (!ENDED_WITHOUT_RESULT.has(status.name)) return undefined;
    return last.inputDigest === digest ? leftBy({ status, memo: last }) : {};
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw errorOfRpc(connection, workflowId, error);
  }
}

const ENDED_WITHOUT_RESULT: ReadonlySet<string> = new Set(['FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/** What a start sends. `digest`: of the request before sealing. */
export interface Starting {
  readonly workflowId: string;
  readonly input: UploadWorkflowInput;
  readonly digest: string;
  /** The last upload with this id ended without a result, and `input` has what it left. */
  readonly afterEnded: boolean;
  readonly identity?: StartUpload['identity'];
}

/**
 * As `startUpload`, after everything is prepared. Undefined: the upload to join ended without a result meanwhile, so
 * nobody knows yet what it left.
 */
export async function startOrJoin(
  connection: TemporalConnection,
  { workflowId, input, digest, afterEnded, identity }: Starting,
): Promise<UploadHandle | undefined> {
  const memo = memoOf(input, digest);
  await sendStart(connection, { workflowId, input, memo, afterEnded });
  const description = await describeStarted(connection, workflowId);
  const found: UploadMemo = description.memo ?? {};
  const { runId } = description;
  if (found.startId === memo.startId) return openUpload(connection, workflowId, { joined: false, runId });
  refuseOtherInput(workflowId, digest, found.inputDigest);
  refuseWhileCancelled(description);
  if (ENDED_WITHOUT_RESULT.has(description.status.name)) return undefined;
  const now = digestIdentity(input.source) ?? identity;
  const warning = refuseOtherContent({ workflowId, then: found.identity, now });
  return openUpload(connection, workflowId, { joined: true, runId, ...given({ warning }) });
}

type StartMemo = UploadMemo & { readonly startId: string; readonly label: string };

function memoOf({ source, ingestKey }: UploadWorkflowInput, inputDigest: string): StartMemo {
  const named = { inputDigest, label: labelOfSource(source), ingestKey, startId: randomUUID() };
  return { ...named, ...given({ identity: digestIdentity(source) }) };
}

interface Sending extends Pick<Starting, 'workflowId' | 'input' | 'afterEnded'> {
  readonly memo: StartMemo;
}

/** Also resolves if an upload with this id runs or has ended. */
async function sendStart(
  connection: TemporalConnection,
  { workflowId, input, memo, afterEnded }: Sending,
): Promise<void> {
  try {
    await connection.client.workflow.start(UPLOAD_WORKFLOW, {
      workflowId,
      taskQueue: controlQueue(input.queuePrefix, input.account.accountId),
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: afterEnded ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'REJECT_DUPLICATE',
      memo: { ...memo },
      staticSummary: `Upload ${memo.label} to ${input.account.externalId}`,
    });
  } catch (error) {
    if (isAlreadyStarted(error)) return;
    throw errorOfStart(connection, workflowId, error);
  }
}

/** Temporal has accepted the upload, so it runs even if this call fails. */
async function describeStarted(
  connection: TemporalConnection,
  workflowId: string,
): Promise<WorkflowExecutionDescription> {
  try {
    return await connection.client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    throw asAmbiguous(errorOfRpc(connection, workflowId, error));
  }
}

function refuseOtherInput(workflowId: string, mine: string, theirs: string | undefined): void {
  const differing = differingParts(mine, theirs);
  if (differing.length === 0) return;
  throw new MediaServiceError(
    'InputDiffers',
    `The upload ${workflowId} already exists with ${differenceText(differing)}.`,
    {
      outcome: 'refused',
      details: { workflowId, differs: differing.join(', ') },
      hint: 'To upload it as well, {again}, or use another {ingestKey}.',
    },
  );
}

/** The upload to join will soon end without a result. */
function refuseWhileCancelled(description: WorkflowExecutionDescription): void {
  if (!isCancelling(description)) return;
  const { workflowId } = description;
  throw new MediaServiceError('Cancelled', `The upload ${workflowId} is being cancelled.`, {
    outcome: 'refused',
    details: { workflowId },
    hint: 'Wait until it has ended, then start it again. If its session was completed after all, nothing is uploaded twice.',
  });
}

function withNewKey(request: UploadRequest): UploadRequest {
  return { ...request, ingestKey: `${request.ingestKey}-again-${randomBytes(4).toString('hex')}` };
}
