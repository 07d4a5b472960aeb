import { randomBytes } from 'node:crypto';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Account, ServiceOptions } from '../../../api/account';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import { digestIdentity, labelOfSource } from '../../../api/upload/sources/source-rules';
import type { UploadRequest } from '../../../api/upload/types';
import { controlQueue, DEFAULT_QUEUE_PREFIX, UPLOAD_WORKFLOW, uploadWorkflowId } from '../types';
import type { Left, UploadMemo, UploadWorkflowInput } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { isCancelling } from '../../client/list-executions';
import { differingParts, inputDigest, otherInput, refuseOtherContent } from './input-digest';
import { openUpload } from './open-upload';
import type { UploadHandle } from './open-upload';
import { askTemporal, errorOfStart, isAlreadyStarted } from '../../client/rpc-failure';
import { leftBy } from './left-by';
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
 * failed, cancelled or terminated upload is started again. It reads the session that was left first, and continues it
 * if possible, so that nothing is uploaded twice. Checks everything possible before anything is sent, and seals source URLs.
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
  return startOrJoin(connection, { workflowId, digest, input, identity: start.identity });
}

/** What a start sends. `digest`: of the request before sealing. */
interface Starting extends Pick<StartUpload, 'identity'> {
  readonly workflowId: string;
  readonly input: UploadWorkflowInput;
  readonly digest: string;
}

const ENDED_WITHOUT_RESULT: ReadonlySet<string> = new Set(['FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/** As `startUpload`, after everything is prepared. */
export async function startOrJoin(
  connection: TemporalConnection,
  { workflowId, input, digest, identity }: Starting,
): Promise<UploadHandle> {
  const now = digestIdentity(input.source) ?? identity;
  // What the last upload with this id left. Undefined: none is known that ended without a result.
  let left: Left | undefined;
  for (;;) {
    const startedRun = await sendStart(connection, { workflowId, input, digest }, left);
    if (startedRun !== undefined) return openUpload(connection, workflowId, { runId: startedRun });
    const description = await askTemporal(connection, workflowId, () =>
      connection.client.workflow.getHandle(workflowId).describe(),
    );
    const { status, runId } = description;
    const memo: UploadMemo = description.memo ?? {};
    if (ENDED_WITHOUT_RESULT.has(status.name)) {
      const ended = (): Promise<Left> => leftBy(connection.client, description);
      left = memo.inputDigest === digest ? await askTemporal(connection, workflowId, ended) : {};
      continue;
    }
    const differing = differingParts(digest, memo.inputDigest);
    if (differing.length > 0) {
      const hint = 'To upload it as well, {again}, or use another {ingestKey}.';
      throw otherInput(workflowId, differing, hint);
    }
    refuseWhileCancelled(description);
    const warning = refuseOtherContent(workflowId, memo.identity, now);
    return openUpload(connection, workflowId, { joined: true, runId, ...given({ warning }) });
  }
}

/** The id of the run. Undefined: an upload with this id runs, or has ended otherwise than `left` says. */
async function sendStart(
  connection: TemporalConnection,
  { workflowId, input, digest: inputDigest }: Starting,
  left: Left | undefined,
): Promise<string | undefined> {
  const { account, ingestKey, queuePrefix, source } = input;
  const label = labelOfSource(source);
  const memo = { inputDigest, label, ingestKey, ...given({ identity: digestIdentity(source) }) };
  try {
    const { firstExecutionRunId } = await connection.client.workflow.start(UPLOAD_WORKFLOW, {
      workflowId,
      taskQueue: controlQueue(queuePrefix, account.accountId),
      args: [{ ...input, ...left }],
      workflowIdReusePolicy: left === undefined ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
      memo: memo satisfies UploadMemo,
      staticSummary: `Upload ${label} to ${account.externalId}`,
    });
    return firstExecutionRunId;
  } catch (error) {
    if (isAlreadyStarted(error)) return undefined;
    throw errorOfStart(connection, workflowId, error);
  }
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
