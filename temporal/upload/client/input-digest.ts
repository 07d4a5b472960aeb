import { createHash, randomBytes } from 'node:crypto';
import { meaningOfSource } from '../../../api/upload/sources/source-rules';
import type { UploadRequest } from '../../../api/upload/request/upload-request';
import { canonicalJson } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';
import { digestIdentity, identitiesDiffer, identityText } from '../../../api/upload/sources/source-identity';
import { controlQueue, IDENTIFY_WORKFLOW } from '../types';
import type { IdentifiedSource, IdentifyInput, UploadWorkflowInput } from '../types';
import { stepFailureOf } from '../../failure';
import type { TemporalConnection } from '../../client/connect';

/**
 * Digests of what an upload means: its source, its metadata and each field of its media. The options, which say how to
 * send it, are left out. Requests with equal meaning give the same text, whatever the order of their fields.
 * URLs count without their query, because each pre-signed URL has another one; a sealed URL counts only by its label.
 * Files that were sent to the HTTP door count by name and size, because each has its own path.
 */
export function inputDigest({
  source,
  media,
  metadata,
}: Pick<UploadRequest, 'source' | 'media' | 'metadata'>): string {
  const fields = Object.entries<unknown>(media)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return digestsOf([['source', meaningOfSource(source)], ...fields, ['metadata', metadata ?? {}]]);
}

/** Names of the parts in which two digests differ. */
export function differingParts(mine: string, theirs: string | undefined): string[] {
  const [own, other] = [readDigests(mine), readDigests(theirs)];
  return [...new Set([...own.keys(), ...other.keys()])].filter((name) => own.get(name) !== other.get(name));
}

/** Names what differs, for `already exists with …`: `a different title and different tags`. */
export function differenceText(parts: readonly string[]): string {
  return parts.map((part) => (PLURALS.has(part) ? `different ${part}` : `a different ${part}`)).join(' and ');
}

const PLURALS: ReadonlySet<string> = new Set(['metadata', 'tags']);

/** The first 16 hexadecimal digits of the SHA-256 of a value. The order of its fields does not matter. */
function valueDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
}

/** Digests of named values, as text for a memo: `name:digest name:digest`. */
export function digestsOf(values: Iterable<readonly [name: string, value: unknown]>): string {
  return [...values].map(([name, value]) => `${name}:${valueDigest(value)}`).join(' ');
}

/** Reads the text of `digestsOf`: digests by name. */
function readDigests(text = ''): Map<string, string> {
  const parts = text.split(' ').filter((part) => part !== '');
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part.slice(part.indexOf(':') + 1)]));
}

/** How long a start waits for the check whether the file is still the uploaded one. */
const ANSWER_WITHIN_MS = 20_000;

const NOT_KNOWN = 'It is not known whether the file has changed since it was uploaded';

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
  return undefined;
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
      hint: 'To upload the new content, {again}, or use another {ingestKey}.',
    },
  );
}
