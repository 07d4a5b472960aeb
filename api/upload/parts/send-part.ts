import { hasCode, MediaServiceError } from '../../errors';
import { requestWithPermit } from './part-permit';
import type { PermittedDeps } from './part-permit';
import type { PartHooks, PartRequest, PartRequestResult } from './part-request';
import { isRefusedUrl } from './storage-error';
import { endsTooSoon, neededMs, urlEnd, urlLife } from './url-life';
import type { PartInput, PartUrl } from '../upload-steps';

export interface SendPartDeps extends PermittedDeps {
  /** Requests fresh URLs. Rejects with a `Configuration` error if the deployment has no such request. */
  requestUrls(partNumbers: readonly number[], signal: AbortSignal): Promise<readonly PartUrl<string>[]>;
  /** Bytes per second of one part, measured so far. Undefined: not measured yet. */
  bytesPerSecond?(): number | undefined;
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
 * - It requests a fresh URL if there is none, if it can't be opened, or if storage calls it expired. It also does so if
 *   the part would outlast the URL at the measured rate.
 * - Any other 403, and a refusal that the URL's signature explains, gets one fresh URL, or else one retry with the same
 *   URL. A URL that has not begun yet is left to the driver, which waits.
 * - If storage's hash of the bytes differs, the part is sent once more. The same foreign ETag twice is an error that
 *   names `verifyMd5`.
 *
 * Rejects with an error that the driver handles. `StorageBusy` (with `retryAfterMs`; also if no permit came in time),
 * `Transport`, `PartStalled` and `ServiceFailed` can be retried later. `UrlExpired` says how long URLs are valid, how
 * long the part would need, and what helps.
 */
export async function sendPart(
  deps: SendPartDeps,
  input: PartToSend,
  hooks: SendPartHooks,
): Promise<PartRequestResult> {
  const memory: Memory = { asked: 0 };
  let url = await usableUrl(deps, input, hooks);
  for (;;) {
    try {
      return await requestWithPermit(deps, partRequestOf(deps, input, url.url), hooks);
    } catch (error) {
      if (!(error instanceof MediaServiceError)) throw error;
      // The bytes of the failed try no longer count: a wait for a URL or a permit must not look like a stall.
      hooks.onBytes(0);
      url = await nextUrl({ error, url, memory, deps, input, hooks });
    }
  }
}

interface Memory {
  /** Number of fresh URLs requested because storage refused one. */
  asked: number;
  foreignETag?: string;
}

interface FailedPut {
  readonly error: MediaServiceError;
  readonly url: PartUrl<string>;
  readonly memory: Memory;
  readonly deps: SendPartDeps;
  readonly input: PartToSend;
  readonly hooks: SendPartHooks;
}

/** Returns the URL for an immediate retry. Rejects if a retry does not help. */
async function nextUrl(failed: FailedPut): Promise<PartUrl<string>> {
  const { error, url, memory } = failed;
  if (error.code === 'PartCorrupted') return againAfterForeignETag(failed);
  const expired = error.code === 'UrlExpired';
  if ((!expired && !isRefusedUrl(error)) || memory.asked > 0) throw error;
  memory.asked += 1;
  try {
    return await freshUrl(failed.deps, failed.input, failed.hooks);
  } catch (none) {
    if (!isNotConfigured(none)) throw none;
    if (expired) throw urlExpired(failed, error);
    return url;
  }
}

function againAfterForeignETag({ error, url, memory, input }: FailedPut): PartUrl<string> {
  const eTag = error.facts.details?.['eTag'];
  if (typeof eTag !== 'string') throw error;
  if (memory.foreignETag === undefined) {
    memory.foreignETag = eTag;
    return url;
  }
  if (memory.foreignETag !== eTag) throw error;
  throw new MediaServiceError(
    'PartCorrupted',
    `part ${input.partNumber}: storage twice reports the same ETag, and it is not the MD5 of the bytes that were sent`,
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

async function usableUrl(
  deps: SendPartDeps,
  input: PartToSend,
  hooks: SendPartHooks,
): Promise<PartUrl<string>> {
  const { url } = input;
  if (url === undefined) return firstUrl(deps, input, hooks);
  const now = deps.clock.now();
  const expiresAt = url.expiresAt ?? urlEnd(url.url);
  if (!endsTooSoon({ expiresAt, now, bytes: input.bytes, bytesPerSecond: deps.bytesPerSecond?.() }))
    return url;
  try {
    return await freshUrl(deps, input, hooks);
  } catch (none) {
    if (!isNotConfigured(none)) throw none;
    // Storage checks the signature when the request arrives, so a URL that has not expired yet may still work.
    if (expiresAt !== undefined && expiresAt > now) return url;
    throw urlExpired({ deps, input, url }, none);
  }
}

async function firstUrl(
  deps: SendPartDeps,
  input: PartToSend,
  hooks: SendPartHooks,
): Promise<PartUrl<string>> {
  try {
    return await freshUrl(deps, input, hooks);
  } catch (none) {
    throw input.unopened !== undefined && isNotConfigured(none) ? urlUnopened(input, input.unopened) : none;
  }
}

async function freshUrl(
  deps: SendPartDeps,
  { partNumber }: PartInput<string>,
  hooks: SendPartHooks,
): Promise<PartUrl<string>> {
  const urls = await deps.requestUrls([partNumber], hooks.signal);
  const url = urls.find((one) => one.partNumber === partNumber);
  if (url === undefined) {
    throw new MediaServiceError('UnreadableAnswer', `part ${partNumber}: no fresh URL came for it`, {
      operation: `part ${partNumber}`,
      outcome: 'refused',
      details: { partNumber },
    });
  }
  hooks.onFreshUrl?.(url);
  return url;
}

function isNotConfigured(error: unknown): boolean {
  return hasCode(error, 'Configuration');
}

function partRequestOf({ contentType }: SendPartDeps, input: PartToSend, url: string): PartRequest {
  const { partNumber, offset, bytes, verifyMd5, minimumThroughput, stallMs, mimeType } = input;
  return {
    partNumber,
    offset,
    bytes,
    verifyMd5,
    minimumThroughput,
    stallMs,
    url,
    ...(contentType === undefined ? {} : { contentType }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}

function urlUnopened({ partNumber }: PartToSend, unopened: MediaServiceError): MediaServiceError {
  return new MediaServiceError(
    'UrlExpired',
    `part ${partNumber}: its pre-signed URL can't be opened here, and no new one can be requested. ${unopened.message}`,
    {
      operation: `part ${partNumber}`,
      outcome: 'refused',
      remedy: { kind: 'renew-urls', why: 'sealed' },
      details: { partNumber },
    },
    { cause: unopened },
  );
}

function urlExpired(
  { deps, input, url }: Pick<FailedPut, 'deps' | 'input' | 'url'>,
  cause: unknown,
): MediaServiceError {
  const lifeMs = urlLife(url.url);
  const needMs = neededMs({ bytes: input.bytes, bytesPerSecond: deps.bytesPerSecond?.() });
  const life = lifeMs === undefined ? '' : `; a URL is valid for ${Math.round(lifeMs / 1000)} s`;
  const need =
    needMs === 0 ? '' : `, and this part takes about ${Math.round(needMs / 1000)} s at the measured rate`;
  return new MediaServiceError(
    'UrlExpired',
    `part ${input.partNumber}: its pre-signed URL has expired, and no new one can be requested${life}${need}`,
    {
      operation: `part ${input.partNumber}`,
      outcome: 'refused',
      remedy: { kind: 'renew-urls', why: 'expired' },
      details: {
        partNumber: input.partNumber,
        neededMs: needMs,
        ...(lifeMs === undefined ? {} : { urlLifeMs: lifeMs }),
      },
    },
    { cause },
  );
}
