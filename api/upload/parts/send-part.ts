import { hasCode, MediaServiceError } from '../../errors';
import { given } from '../../json';
import { requestWithPermit } from './part-permit';
import type { PermittedDeps } from './part-permit';
import type { PartHooks, PartRequestResult } from './part-request';
import { isRefusedUrl } from './storage-error';
import { urlEnd } from './url-life';
import type { PartInput, PartUrl } from '../upload-steps';

export interface SendPartDeps extends PermittedDeps {
  /** Requests a fresh URL. Rejects with a `Configuration` error if the deployment has no such request. */
  requestUrl(partNumber: number, signal: AbortSignal): Promise<PartUrl<string>>;
  /** The content type of every part; see `PartRequest`. */
  readonly contentType?: string | undefined;
}

export interface PartToSend extends PartInput<string> {
  /** `start` gave a URL that can't be opened here. Without a fresh URL it counts as expired. */
  readonly unopened?: MediaServiceError;
}

export interface SendPartHooks extends PartHooks {
  /** A fresh URL replaced the given one: keep it for the next try. */
  onFreshUrl?(url: PartUrl<string>): void;
}

/**
 * Sends one part and handles its URL:
 * - It requests a fresh URL if there is none, if it can't be opened, or if it has expired.
 * - Any other 403, and a refusal that the URL's signature explains, gets one fresh URL, or else one retry with the same
 *   URL. A URL that has not begun yet is left to the driver, which waits.
 * - If storage's hash of the bytes differs, the part is sent once more. The same foreign ETag twice is an error that
 *   names `verifyMd5`.
 *
 * Rejects with an error that the driver handles. `StorageBusy` (with `retryAfterMs`; also if no permit came in time),
 * `Transport`, `PartStalled` and `ServiceFailed` can be retried later.
 */
export async function sendPart(
  deps: SendPartDeps,
  input: PartToSend,
  hooks: SendPartHooks,
): Promise<PartRequestResult> {
  const { contentType } = deps;
  let foreignETag: string | undefined;
  let hasRenewed = false;
  let url = await firstUrl(deps, input, hooks);
  for (;;) {
    try {
      return await requestWithPermit(deps, { ...input, url, ...given({ contentType }) }, hooks);
    } catch (error) {
      if (!(error instanceof MediaServiceError)) throw error;
      // The bytes of the failed try no longer count: a wait for a URL or a permit must not look like a stall.
      hooks.onBytes(0);
      if (error.code === 'PartCorrupted') {
        foreignETag = eTagOfFirst(error, foreignETag);
        continue;
      }
      if ((error.code !== 'UrlExpired' && !isRefusedUrl(error)) || hasRenewed) throw error;
      hasRenewed = true;
      url = await nextUrl(deps, { input, url, error }, hooks);
    }
  }
}

/** Returns the foreign ETag if it is the first one. Throws if another try does not help. */
function eTagOfFirst(error: MediaServiceError, before: string | undefined): string {
  const eTag = error.facts.details?.['eTag'];
  if (typeof eTag !== 'string' || (before !== undefined && before !== eTag)) throw error;
  if (before === undefined) return eTag;
  throw new MediaServiceError(
    'PartCorrupted',
    `${error.facts.operation}: storage twice reports the same ETag, and it is not the MD5 of the bytes that were sent`,
    {
      ...error.facts,
      outcome: 'refused',
      remedy: { kind: 'turn-off-checksums' },
      // A third try would give the same answer.
      details: { ...error.facts.details, permanent: true },
    },
    { cause: error },
  );
}

async function firstUrl(deps: SendPartDeps, input: PartToSend, hooks: SendPartHooks): Promise<string> {
  const { partNumber, url, unopened } = input;
  if (url !== undefined && (urlEnd(url.url) ?? Infinity) > deps.clock.now()) return url.url;
  try {
    return await freshUrl(deps, input, hooks);
  } catch (none) {
    if (!hasCode(none, 'Configuration')) throw none;
    if (url !== undefined) throw unusable(partNumber, EXPIRED, none);
    if (unopened === undefined) throw none;
    const what = `can't be opened here, and no new one can be requested. ${unopened.message}`;
    throw unusable(partNumber, { why: 'sealed', what }, unopened);
  }
}

interface Refused {
  readonly input: PartToSend;
  readonly url: string;
  readonly error: MediaServiceError;
}

/** Returns the URL for an immediate retry. */
async function nextUrl(
  deps: SendPartDeps,
  { input, url, error }: Refused,
  hooks: SendPartHooks,
): Promise<string> {
  try {
    return await freshUrl(deps, input, hooks);
  } catch (none) {
    if (!hasCode(none, 'Configuration')) throw none;
    if (error.code === 'UrlExpired') throw unusable(input.partNumber, EXPIRED, error);
    return url;
  }
}

async function freshUrl(
  deps: SendPartDeps,
  { partNumber }: PartInput<string>,
  hooks: SendPartHooks,
): Promise<string> {
  const fresh = await deps.requestUrl(partNumber, hooks.signal);
  hooks.onFreshUrl?.(fresh);
  return fresh.url;
}

interface Unusable {
  readonly why: 'expired' | 'sealed';
  readonly what: string;
}

const EXPIRED: Unusable = { why: 'expired', what: 'has expired, and no new one can be requested' };

function unusable(partNumber: number, { why, what }: Unusable, cause: unknown): MediaServiceError {
  return new MediaServiceError(
    'UrlExpired',
    `part ${partNumber}: its pre-signed URL ${what}`,
    {
      operation: `part ${partNumber}`,
      outcome: 'refused',
      remedy: { kind: 'renew-urls', why },
      details: { partNumber },
    },
    { cause },
  );
}
