import { randomBytes, randomUUID } from 'node:crypto';
import type { Account, ServiceOptions } from '../../api/account/account';
import { MediaServiceError } from '../../api/errors';
import { labelOfSource } from '../../api/upload/sources/source-label';
import type { UploadRequest } from '../../api/upload/request/upload-request';
import { controlQueue, DEFAULT_QUEUE_PREFIX, UPLOAD_WORKFLOW, uploadWorkflowId } from '../contract';
import type { UploadMemo, UploadWorkflowInput } from '../contract';
import type { TemporalConnection } from './connect';
import { differingParts, inputDigest } from './input-digest';
import { openUpload } from './open-upload';
import { refuseWhileProcessing } from './refuse-while-processing';
import { errorOfRpc } from './rpc-failure';
import type { UploadHandle } from './upload-handle';
import { uploadInput } from './upload-input';

export interface StartUpload {
  readonly account: Account;
  readonly request: UploadRequest;
  /** Default `media-service`. */
  readonly queuePrefix?: string;
  /** Default `upload/<accountId>/<ingestKey>`. */
  readonly workflowId?: string;
  /** Upload once more although the same was uploaded before: makes a new ingest key. Default false. */
  readonly again?: boolean;
  /** As the worker has them; only `allowPlainHttp` matters here. */
  readonly serviceOptions?: ServiceOptions;
}

/**
 * Starts an upload, or joins it: a running or completed upload of the same workflow id is this upload if source, media and metadata
 * mean the same, else the start is refused with `InputDiffers`. A failed or cancelled one is started again, but for one that the
 * service was still processing when its time was over: that is refused with `ProcessingTimeout` unless `again` is set, since its
 * session may yet complete. Checks everything that can be checked before anything is sent; source URLs are sealed here. It returns as
 * soon as Temporal has taken the upload, whether or not a worker is there: see `unservedQueues`.
 */
export async function startUpload(connection: TemporalConnection, start: StartUpload): Promise<UploadHandle> {
  const queuePrefix = start.queuePrefix ?? DEFAULT_QUEUE_PREFIX;
  const request = start.again === true ? withNewKey(start.request) : start.request;
  const { account, serviceOptions } = start;
  const input = uploadInput({
    account,
    request,
    queuePrefix,
    ...(serviceOptions === undefined ? {} : { serviceOptions }),
  });
  const { accountId } = input.account;
  const workflowId = start.workflowId ?? uploadWorkflowId(accountId, input.ingestKey);
  // Of the source as it was given: sealed, addresses with another path can look the same.
  const digest = inputDigest({ ...input, source: request.source });
  try {
    if (start.again !== true) await refuseWhileProcessing(connection, workflowId);
    return await startOrJoin(connection, { workflowId, input, digest });
  } catch (error) {
    throw errorOfRpc(connection, workflowId, error);
  }
}

interface Starting {
  readonly workflowId: string;
  readonly input: UploadWorkflowInput;
  readonly digest: string;
}

async function startOrJoin(
  connection: TemporalConnection,
  { workflowId, input, digest }: Starting,
): Promise<UploadHandle> {
  const { client } = connection;
  const label = labelOfSource(input.source);
  const { ingestKey } = input;
  const memo = { inputDigest: digest, label, ingestKey, startId: randomUUID() } satisfies UploadMemo;
  await client.workflow
    .start(UPLOAD_WORKFLOW, {
      workflowId,
      taskQueue: controlQueue(input.queuePrefix, input.account.accountId),
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      memo,
      staticSummary: `Upload ${label} to ${input.account.externalId}`,
    })
    .catch((error: unknown) => {
      if (!isCompletedAlready(error)) throw error;
    });
  const description = await client.workflow.getHandle(workflowId).describe();
  const found: UploadMemo = description.memo ?? {};
  const joined = found.startId !== memo.startId;
  if (joined) refuseOtherInput(workflowId, memo.inputDigest, found.inputDigest);
  return openUpload(connection, workflowId, { joined, runId: description.runId });
}

function isCompletedAlready(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError';
}

function refuseOtherInput(workflowId: string, mine: string, theirs: string | undefined): void {
  const differing = differingParts(mine, theirs);
  if (differing.length === 0) return;
  throw new MediaServiceError(
    'InputDiffers',
    `The upload ${workflowId} exists with another ${differing.join(' and ')}.`,
    {
      outcome: 'refused',
      details: { workflowId, differs: differing.join(', ') },
      hint: 'Give this upload another id or ingest key, or send what that one was started with.',
    },
  );
}

function withNewKey(request: UploadRequest): UploadRequest {
  return { ...request, ingestKey: `${request.ingestKey}-again-${randomBytes(4).toString('hex')}` };
}
