import { Context } from '@temporalio/activity';
import type { Clock } from '../../api/clock';
import { SECOND_MS } from '../../api/clock';
import { hasCode, MediaServiceError } from '../../api/errors';
import { given, isRecord } from '../../api/json';
import { mapAll } from '../../api/map-in-order';
import type { Transport } from '../../api/transport/transport';
import { whatToDoAbout } from '../../api/advice';
import { openBatch } from '../batch/client/open-batch';
import { readBatchListing } from '../batch/client/list-batches';
import type { BatchListing } from '../batch/client/list-batches';
import { isBatchWorkflowId } from '../batch/ids';
import type { TemporalConnection } from '../client/connect';
import { postWebhook } from '../reports/activities/post-webhook';
import { unseal } from '../seal';
import type { SealKeys } from '../seal';
import { readListing } from '../upload/client/list-uploads';
import type { UploadListing } from '../upload/client/list-uploads';
import { openUpload } from '../upload/client/open-upload';
import { applicationFailureOf } from '../application-failure';
import { DESCRIBED_AT_ONCE, inActivity, retryDelayMs, stillRunning } from '../worker/in-activity';
import { waitUrlPurpose } from './types';
import type { End, PostEndsInput } from './types';

/** What the activities of a gateway share. */
export interface WaitDeps {
  readonly connection: TemporalConnection;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Hosts that posts may go to, as `host` or `host:port`. No other host gets any. */
  readonly hosts: readonly string[];
  /** Undefined: this gateway does not serve the account. */
  sealKeysOf(accountId: string): SealKeys | undefined;
  /** The key that signs for a token. Rejects if the token no longer exists. */
  signingKeyOf(token: string): Promise<Buffer>;
}

/** Of a message and a hint: a post of 500 ids stays below 1 MB. Details come by GET. */
const MAX_TEXT = 250;
/** While something runs, it is looked at this often, ms. */
const LOOKS = { firstDelayMs: SECOND_MS, maxDelayMs: 15 * SECOND_MS };

/** What an earlier try knew. */
interface Tried {
  /** This many ids, from the first on, have ended. */
  readonly ended: number;
  /** Posts that were not taken. */
  readonly posts: number;
}

export function waitActivities(deps: WaitDeps) {
  return {
    /**
     * Posts the ends once all have ended. While something runs, the try ends as BENIGN and a later one looks again. A
     * receiver that answers 404 or 409 is not ready yet, so the post is retried. A post without an answer is repeated
     * under the same webhook-id.
     */
    postEnds: (input: PostEndsInput): Promise<void> =>
      inActivity(async (signal) => {
        const context = Context.current();
        const before: unknown = context.info.heartbeatDetails;
        const tried: Tried = { ended: 0, posts: 0, ...(isRecord(before) ? before : {}) };
        const ended = await endedOf(deps, input.ids, tried.ended);
        context.heartbeat({ ...tried, ended } satisfies Tried);
        if (ended < input.ids.length) throw stillRunning('What is awaited', context.info.attempt, LOOKS);
        const ends = await mapAll(input.ids, DESCRIBED_AT_ONCE, (id) => endOf(deps, id));
        context.heartbeat({ ended, posts: tried.posts + 1 } satisfies Tried);
        await post(deps, { input, ends, signal }).catch((error: unknown) => {
          // The looks before were tries, too, and must not delay the next post.
          const delayMs = retryDelayMs(tried.posts + 1);
          throw applicationFailureOf(error, { delayMs, tries: tried.posts + 1, always: isNotReady(error) });
        });
      }),
  };
}

/** Looks from the first id on that ran at the last look. Returns how many have ended without a gap. */
async function endedOf({ connection }: WaitDeps, ids: readonly string[], from: number): Promise<number> {
  for (let index = from; index < ids.length; index += 1) {
    const listing = await listingOf(connection, ids[index] ?? '');
    if (listing !== undefined && listing.closedAt === undefined) return index;
  }
  return ids.length;
}

/** Undefined: Temporal has forgotten it. */
async function listingOf(connection: TemporalConnection, id: string) {
  try {
    return await (isBatchWorkflowId(id) ? readBatchListing(connection, id) : readListing(connection, id));
  } catch (error) {
    if (hasCode(error, 'RequestRefused')) return undefined;
    throw error;
  }
}

/** What is known of an upload or a batch. */
type Listing = Pick<BatchListing, 'status' | 'runId' | 'counts'> &
  Pick<UploadListing, 'uploadId' | 'mediaId'>;

async function endOf({ connection }: WaitDeps, id: string): Promise<End> {
  const listing = await listingOf(connection, id);
  if (listing === undefined) return { id, status: 'UNKNOWN' };
  const { status, runId, uploadId, mediaId, counts }: Listing = listing;
  const open = isBatchWorkflowId(id) ? openBatch : openUpload;
  const handle = open(connection, id, { runId });
  const error = status === 'COMPLETED' ? undefined : await errorOf(handle.result());
  return { id, status, ...given({ uploadId, mediaId, counts, error }) };
}

async function errorOf(result: Promise<unknown>): Promise<End['error']> {
  try {
    await result;
    return undefined;
  } catch (error) {
    if (!(error instanceof MediaServiceError) || error.code === 'TemporalUnreachable') throw error;
    const hint = whatToDoAbout(error)?.slice(0, MAX_TEXT);
    return { code: error.code, message: error.message.slice(0, MAX_TEXT), ...given({ hint }) };
  }
}

interface Post {
  readonly input: PostEndsInput;
  readonly ends: readonly End[];
  readonly signal: AbortSignal;
}

async function post(deps: WaitDeps, { input, ends, signal }: Post): Promise<void> {
  const { accountId, waitId, url, token } = input;
  const sealKeys = deps.sealKeysOf(accountId);
  if (sealKeys === undefined) {
    throw new MediaServiceError('AccountNotServed', `This gateway does not serve the account ${accountId}.`);
  }
  const { transport, clock, hosts: sourceHosts } = deps;
  const plain = unseal(sealKeys, url, waitUrlPurpose(waitId));
  requirePostHost(new URL(plain), sourceHosts);
  await postWebhook(
    { transport, clock, sourceHosts },
    {
      url: plain,
      body: JSON.stringify({ waitId, ends }),
      name: waitId,
      key: token === undefined ? undefined : await deps.signingKeyOf(token),
      signal,
    },
  );
}

/** The status of the receiver's answer to a post that says nothing, or undefined if none came. */
export async function probeReceiver(
  { hosts: sourceHosts, ...access }: Pick<WaitDeps, 'transport' | 'clock' | 'hosts'>,
  url: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    await postWebhook({ ...access, sourceHosts }, { url, body: '{}', name: 'probe', key: undefined, signal });
    return 200;
  } catch (error) {
    if (error instanceof MediaServiceError) return error.facts.status;
    throw error;
  }
}

/** Throws `SourceNotAllowed` unless the host is one of those that posts may go to. */
export function requirePostHost({ host, hostname }: URL, hosts: readonly string[]): void {
  const wanted = [host, hostname].map((name) => name.toLowerCase());
  if (hosts.some((name) => wanted.includes(name.trim().toLowerCase()))) return;
  throw new MediaServiceError('SourceNotAllowed', `Ends may not be posted to ${host}.`, {
    outcome: 'refused',
    field: 'url',
    hint: 'The operator of the gateway must allow the host.',
  });
}

/** 404 and 409: the receiver still does something else, such as an n8n execution that does not wait yet. */
function isNotReady(error: unknown): boolean {
  return error instanceof MediaServiceError && [404, 409].includes(error.facts.status ?? 0);
}
