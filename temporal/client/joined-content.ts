import { randomBytes } from 'node:crypto';
import { MediaServiceError } from '../../api/errors';
import {
  digestIdentity,
  identitiesDiffer,
  identityText,
  mayHaveChanged,
} from '../../api/upload/sources/source-identity';
import { controlQueue, IDENTIFY_WORKFLOW } from '../contract/upload';
import type { IdentifiedSource, IdentifyInput, UploadWorkflowInput } from '../contract/upload';
import { stepFailureOf } from '../failure';
import type { TemporalConnection } from './connect';

/** How long a start waits for the check whether the file is still the uploaded one. */
const ANSWER_WITHIN_MS = 20_000;

const NOT_KNOWN = 'It is not known whether the file has changed since it was uploaded';
const STATUS_CHANGED =
  'The file has the size and modification time of the one that was uploaded, but its status changed since (ctime): it was renamed or linked, its rights were changed, or it was written to and given its old time back';

interface JoinedContent {
  readonly workflowId: string;
  readonly input: UploadWorkflowInput;
  /**
   * Identity of the file in the joined upload. Unset: the upload has read nothing yet, or nothing identifies the
   * content.
   */
  readonly identity: string | undefined;
  /** The starter's own check, see `StartUpload.identity`. */
  readonly ownIdentity?: (() => Promise<string | undefined>) | undefined;
}

/**
 * Rejects with `InputDiffers` if the source's content now differs from that of the upload to join, because another
 * file may have the same name now. Resolves with a warning if that can't be checked (no worker answers, or the source
 * is gone), otherwise with undefined.
 */
export async function refuseOtherContent(
  connection: TemporalConnection,
  { workflowId, input, identity, ownIdentity }: JoinedContent,
): Promise<string | undefined> {
  if (identity === undefined) return undefined;
  const known = digestIdentity(input.source) ?? ownIdentity?.() ?? askWorker(connection, input);
  const own = await Promise.resolve(known).catch((error: unknown) => {
    const { message, facts } = stepFailureOf(error);
    const unanswered = facts.details?.['unanswered'] === true;
    const cause = unanswered ? `no worker answered within ${ANSWER_WITHIN_MS / 1000} s` : message;
    return { unknown: `${NOT_KNOWN}: ${cause.replace(/\.$/, '')}` };
  });
  if (typeof own === 'object') return own.unknown;
  if (own === undefined) return `${NOT_KNOWN}: its address gives neither size nor version`;
  if (identitiesDiffer(identity, own)) throw contentDiffers(workflowId, identity, own);
  return mayHaveChanged(identity, own) ? STATUS_CHANGED : undefined;
}

async function askWorker(
  { client }: TemporalConnection,
  { account: { accountId }, queuePrefix, source }: UploadWorkflowInput,
): Promise<string | undefined> {
  const input: IdentifyInput = { accountId, queuePrefix, source };
  const { identity } = await client.workflow.execute<(input: IdentifyInput) => Promise<IdentifiedSource>>(
    IDENTIFY_WORKFLOW,
    {
      workflowId: `identify/${accountId}/${randomBytes(6).toString('hex')}`,
      taskQueue: controlQueue(queuePrefix, accountId),
      args: [input],
      workflowExecutionTimeout: ANSWER_WITHIN_MS,
    },
  );
  return identity;
}

function contentDiffers(workflowId: string, then: string, now: string): MediaServiceError {
  return new MediaServiceError(
    'InputDiffers',
    `The file has changed since the upload ${workflowId} was started: then ${identityText(then)}, now ${identityText(now)}.`,
    {
      outcome: 'refused',
      details: { workflowId, differs: 'content' },
      remedy: { kind: 'upload-new-content' },
    },
  );
}
