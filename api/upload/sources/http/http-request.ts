import { MediaServiceError } from '../../../errors';
import { given } from '../../../json';
import { discardBody } from '../../../answers/read-answer';
import { isTemporaryStatus, retryAfterMs } from '../../../retry';
import type { HttpAnswer, Transport } from '../../../transport/transport';
import { addressNotAllowed as notAllowed, labelOf, sourceRefused } from '../source';
import type { HttpSource, RemoteVersion } from '../source';
import { mayReceive, refuseOtherHost, secretHeadersOf } from './secret-headers';
import type { NamedSecrets } from './secret-headers';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/** What this process may read over http, and how. */
export interface HttpAccess {
  /**
   * Rejects if a source or redirect must not lead to this address; resolves with the IP addresses to connect to.
   * Undefined: the transport has its own rules.
   */
  readonly checkHost: ((url: URL) => Promise<readonly string[]>) | undefined;
  readonly transport: Transport;
  /** Opens the URL of an http source, sealed or not. `label`: the source's. */
  unseal(url: unknown, label: string): string;
  /** Unset: sources that name a secret are refused. */
  readonly secrets?: NamedSecrets;
}

interface SourceRequest {
  /** As in the header. Unset: everything. */
  readonly range?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * GETs a source and follows up to five redirects itself. It checks every host on the way; no redirect may lead from
 * https to http. Secret headers go only to the hosts that they name, whatever redirects.
 *
 * Resolves with a 2xx or a 416. Rejects with `SourceMissing` (other 4xx), `SourceNotAllowed`, or a temporary error (429,
 * 5xx, lost connections).
 */
export async function getSource(
  access: HttpAccess,
  source: HttpSource,
  { range, signal }: SourceRequest,
): Promise<HttpAnswer> {
  const address = access.unseal(source.url, source.label);
  const label = labelOf(address);
  if (!URL.canParse(address)) throw notAllowed(label, 'has no readable address', 'Give a whole http(s) URL.');
  let url = new URL(address);
  const secret = await secretHeadersOf(access, source);
  if (secret !== undefined) refuseOtherHost(secret, url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const addresses = await access.checkHost?.(url);
    const answer = await access.transport.send({
      method: 'GET',
      url: withoutUser(url),
      ...given({ addresses }),
      headers: {
        // A compressed answer has other bytes, another length and other ranges.
        'accept-encoding': 'identity',
        ...given({ range }),
        ...(secret !== undefined && mayReceive(secret, url) ? secret.headers : {}),
      },
      signal,
    });
    const location = answer.headers['location'];
    if (!REDIRECTS.has(answer.status) || location === undefined)
      return refuseFailure(answer, label, secret?.name);
    await discardBody(answer.body);
    url = target(location, url, label);
  }
  throw sourceRefused(label, `redirects more than ${MAX_REDIRECTS} times`, 'Give the final address.');
}

function target(location: string, from: URL, label: string): URL {
  if (!URL.canParse(location, from.href)) {
    throw sourceRefused(label, 'redirects to something that is not an address', 'Give the final address.');
  }
  const to = new URL(location, from.href);
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw notAllowed(
      label,
      'redirects from https to plain http',
      'If plain http is intended, give the final address.',
    );
  }
  return to;
}

async function refuseFailure(
  answer: HttpAnswer,
  label: string,
  secret: string | undefined,
): Promise<HttpAnswer> {
  const { status, headers } = answer;
  if ((status >= 200 && status < 300) || status === 416) return answer;
  await discardBody(answer.body);
  if (isTemporaryStatus(status)) {
    const wait = retryAfterMs(headers, Date.now());
    throw new MediaServiceError('ServiceFailed', `the source ${label} answered ${status}`, {
      operation: 'source',
      status,
      outcome: 'ambiguous',
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    });
  }
  const closed = status === 401 || status === 403;
  throw sourceRefused(label, `answered ${status}`, closed ? loginHint(secret) : 'Check the address.');
}

function loginHint(secret: string | undefined): string {
  return secret === undefined
    ? 'If the URL is pre-signed, it may have expired. If it needs a login, put its headers into a named secret of the worker, and name that in {sourceSecret}.'
    : `Check the headers in the secret named "${secret}"; it is read again at the next try.`;
}

function withoutUser(url: URL): string {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  plain.hash = '';
  return plain.href;
}

/**
 * Returns the version that an answer shows; only a strong ETag counts. Reads the size from Content-Range, which some
 * servers send with 200, or from a 200's Content-Length.
 */
export function versionOf(status: number, headers: Readonly<Record<string, string>>): RemoteVersion {
  const eTag = headers['etag'];
  return {
    bytes: whole(contentRange(headers)?.total ?? (status === 200 ? headers['content-length'] : undefined)),
    eTag: eTag?.startsWith('"') === true ? eTag : undefined,
    modified: headers['last-modified'],
  };
}

/** Returns where an answer's bytes begin in the source. Undefined: unknown. */
export function firstOf(status: number, headers: Readonly<Record<string, string>>): number | undefined {
  const range = contentRange(headers);
  return range === undefined && status === 200 ? 0 : range?.first;
}

/** Returns the first byte and the total of `bytes 0-0/1234`. Undefined if the header is missing or has another form. */
function contentRange(
  headers: Readonly<Record<string, string>>,
): { readonly first: number | undefined; readonly total: string } | undefined {
  const match = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/i.exec(headers['content-range']?.trim() ?? '');
  if (!match) return undefined;
  return { first: whole(match[1]), total: match[2] ?? '*' };
}

function whole(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
