import { MINUTE_MS } from '../../clock';
import { hasCode, MediaServiceError } from '../../errors';
import { given } from '../../json';
import type { Admitted, PartAdmission, PermitOutcome } from './admission';
import { SLOWEST_BYTES_PER_SECOND } from '../plan-parts';
import { ANSWER_STALLS, requestPart } from './part-request';
import type { PartHooks, PartRequest, PartRequestDeps, PartRequestResult } from './part-request';
import { partError } from './part-body';
import { isRefusedUrl, urlEnd } from './storage';
import type { PartInput, PartUrl } from '../types';

/** Longest time without a byte of a part that goes alone, ms. */
const MAX_STILL_MS = 15 * MINUTE_MS;

export interface SendPartDeps extends Omit<PartRequestDeps, 'byteLimiter'> {
  readonly admission: PartAdmission;
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
  /** The part was admitted: from now on, it is tried. */
  onBegin?(): void;
}

/**
 * Sends one part, once it is admitted, and handles its URL:
 * - It requests a fresh URL if there is none, if it can't be opened, or if it has expired.
 * - Any other 403, and a refusal that the URL's signature explains, gets one fresh URL, or else one retry with the same
 *   URL. A URL that has not begun yet is left to the driver, which waits.
 * - If storage's hash of the bytes differs, the part is sent once more. The same foreign ETag twice is an error that
 *   names `verifyMd5`.
 *
 * Rejects with an error that the driver handles. `StorageBusy` (with `retryAfterMs`),
 * `Transport`, `PartStalled` and `ServiceFailed` can be retried later.
 */
export async function sendPart(
  deps: SendPartDeps,
  input: PartToSend,
  hooks: SendPartHooks,
): Promise<PartRequestResult> {
  const url = input.url ?? (await firstUrl(deps, input, hooks));
  const admitted = await deps.admission.enter({ ...input, url: url.url }, hooks.signal);
  let outcome: PermitOutcome = 'failed';
  try {
    hooks.onBegin?.();
    const result = await sendAdmitted({ deps, admitted, hooks }, { ...input, url });
    outcome = 'ok';
    return result;
  } catch (error) {
    if (hasCode(error, 'StorageBusy')) outcome = 'busy';
    if (isSlowLine(error)) outcome = 'slow';
    throw error;
  } finally {
    admitted.leave(outcome);
  }
}

interface Sending {
  readonly deps: SendPartDeps;
  readonly admitted: Admitted;
  readonly hooks: SendPartHooks;
}

async function sendAdmitted(
  { deps, admitted, hooks }: Sending,
  input: PartToSend,
): Promise<PartRequestResult> {
  const { contentType } = deps;
  const { byteLimiter } = admitted;
  let foreignETag: string | undefined;
  let hasRenewed = false;
  let { url } = await firstUrl(deps, input, hooks);
  for (;;) {
    try {
      const part = { ...input, url, ...given({ contentType }) };
      const request = admitted.isAlone() ? withTimeForBuffers(part) : part;
      return await requestPart({ ...deps, ...given({ byteLimiter }) }, request, hooks);
    } catch (error) {
      if (!(error instanceof MediaServiceError)) throw error;
      // The bytes of the failed try no longer count: a wait for a URL must not look like a stall.
      hooks.onBytes?.(0);
      if (error.code === 'PartCorrupted') {
        foreignETag = eTagOfFirst(error, foreignETag);
        continue;
      }
      if ((error.code !== 'UrlExpired' && !isRefusedUrl(error)) || hasRenewed) throw error;
      hasRenewed = true;
      const { partNumber } = input;
      ({ url } = await freshUrl(deps, partNumber, hooks).catch((none: unknown) => {
        if (!hasCode(none, 'Configuration')) throw none;
        if (error.code === 'UrlExpired') throw expired(partNumber, error);
        return { url };
      }));
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
      hint: "If this storage's ETags are not MD5 checksums, {turnOffChecksums}.",
      // A third try would give the same answer.
      details: { ...error.facts.details, permanent: true },
    },
    { cause: error },
  );
}

/** The given URL, unless it has ended meanwhile. */
async function firstUrl(
  deps: SendPartDeps,
  input: PartToSend,
  hooks: SendPartHooks,
): Promise<PartUrl<string>> {
  const { partNumber, url, unopened } = input;
  if (url !== undefined && (urlEnd(url.url) ?? Infinity) > deps.clock.now()) return url;
  return freshUrl(deps, partNumber, hooks).catch((none: unknown) => {
    if (!hasCode(none, 'Configuration')) throw none;
    if (url !== undefined) throw expired(partNumber, none);
    if (unopened === undefined) throw none;
    const what = `can't be opened here, and no new one can be requested. ${unopened.message}`;
    throw unusable(partNumber, { what, hint: OTHER_KEY, cause: unopened });
  });
}

async function freshUrl(
  deps: SendPartDeps,
  partNumber: number,
  hooks: SendPartHooks,
): Promise<PartUrl<string>> {
  const fresh = await deps.requestUrl(partNumber, hooks.signal);
  hooks.onFreshUrl?.(fresh);
  return fresh;
}

const OTHER_KEY =
  "Add the account's previous secret key to {previousSecretKeys}, or set {additionalUrls}. Then start the upload again.";

function expired(partNumber: number, cause: unknown): MediaServiceError {
  const what = 'has expired, and no new one can be requested';
  const hint =
    'Set {additionalUrls} (ask the operator of the service for its form), or use a faster connection or more parts at once.';
  return unusable(partNumber, { what, hint, cause });
}

function unusable(partNumber: number, facts: Parameters<typeof partError>[2]): MediaServiceError {
  const what = `its pre-signed URL ${facts.what}`;
  return partError('UrlExpired', partNumber, { ...facts, what, outcome: 'refused' });
}

/**
 * A proxy or the system's buffers can take megabytes at once and pass them on slowly. A part that goes alone may
 * therefore take as long for all its bytes as the slowest line that we expect.
 */
function withTimeForBuffers(part: PartRequest): PartRequest {
  const { bytes, stallMs } = part;
  const neededMs = (bytes * 1000) / SLOWEST_BYTES_PER_SECOND;
  const stillMs = Math.max(stallMs * ANSWER_STALLS, Math.min(MAX_STILL_MS, neededMs));
  return { ...part, stallMs: stillMs, answerMs: stillMs };
}

/** No byte left, or all left and storage did not answer in time. */
function isSlowLine(error: unknown): boolean {
  if (!(error instanceof MediaServiceError)) return false;
  const { waitsFor, code } = error.facts.details ?? {};
  return error.code === 'PartStalled' ? waitsFor === 'line' : code === 'UND_ERR_HEADERS_TIMEOUT';
}
