import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { s3Refusal } from './s3-error';
import type { StorageRefusal } from './s3-error';

/**
 * Key for Signature V4 in the query, as in S3: UNSIGNED-PAYLOAD, headers by name, expiry by X-Amz-Date and
 * X-Amz-Expires.
 */
export interface SigningKey {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

interface UrlToSign {
  readonly origin: string;
  /** As `/bucket/key`, percent-encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Headers besides host that the request must send unchanged. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
  readonly lifeSeconds: number;
  /** Default: Amazon's. */
  readonly dialect?: Dialect;
}

/** Whose names and words a signature has. */
const DIALECTS = {
  Amz: { algorithm: 'AWS4-HMAC-SHA256', secret: 'AWS4', scope: ['s3', 'aws4_request'] },
  Goog: { algorithm: 'GOOG4-HMAC-SHA256', secret: 'GOOG4', scope: ['storage', 'goog4_request'] },
} as const;
export type Dialect = keyof typeof DIALECTS;

function dialectOf(query: URLSearchParams): Dialect {
  return query.has('X-Goog-Algorithm') ? 'Goog' : 'Amz';
}

export function signUrl(url: UrlToSign, key: SigningKey): string {
  const date = new Date(Math.floor(url.now / 1000) * 1000).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const headers = { ...url.headers, host: new URL(url.origin).host };
  const signedHeaders = Object.keys(headers).sort().join(';');
  const dialect = url.dialect ?? 'Amz';
  const x = `X-${dialect}`;
  const query = new URLSearchParams({
    ...url.query,
    [`${x}-Algorithm`]: DIALECTS[dialect].algorithm,
    [`${x}-Credential`]: `${key.accessKey}/${scopeOf({ date, dialect }, key)}`,
    [`${x}-Date`]: date,
    [`${x}-Expires`]: String(url.lifeSeconds),
    [`${x}-SignedHeaders`]: signedHeaders,
  });
  const signature = signatureOf({ method: 'PUT', path: url.path, query, headers, date }, key);
  return `${url.origin}${url.path}?${canonicalQuery(query)}&${x}-Signature=${signature}`;
}

/** Why storage refuses the URL, or undefined if it is valid. */
export function judgeUrl(
  { method = '', url = '/', headers: sent }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  key: SigningKey,
  now: number,
): StorageRefusal | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://storage');
  const dialect = dialectOf(query);
  const text = (name: string): string => query.get(`X-${dialect}-${name}`) ?? '';
  if (text('Signature') === '' && text('Algorithm') === '') return s3Refusal('accessDenied');
  if (now >= periodOf(url).end) return s3Refusal('expired');
  const names = text('SignedHeaders').split(';');
  const headers = Object.fromEntries(names.map((name) => [name, String(sent[name] ?? '')]));
  const expected = signatureOf({ method, path: pathname, query, headers, date: text('Date') }, key);
  return expected === text('Signature') && names.includes('host') ? undefined : s3Refusal('wrongSignature');
}

interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly date: string;
}

function signatureOf({ method, path, query, headers, date }: SignedRequest, key: SigningKey): string {
  const dialect = dialectOf(query);
  const { algorithm, secret, scope } = DIALECTS[dialect];
  const names = Object.keys(headers).sort();
  const canonical = [
    method,
    path,
    canonicalQuery(query),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = [algorithm, date, scopeOf({ date, dialect }, key), digest].join('\n');
  const signingKey = [date.slice(0, 8), key.region, ...scope].reduce<string | Buffer>(
    (signer, piece) => createHmac('sha256', signer).update(piece).digest(),
    `${secret}${key.secretKey}`,
  );
  return createHmac('sha256', signingKey).update(text).digest('hex');
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .filter(([name]) => !/^X-(Amz|Goog)-Signature$/.test(name))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function scopeOf({ date, dialect }: { date: string; dialect: Dialect }, key: SigningKey): string {
  return [date.slice(0, 8), key.region, ...DIALECTS[dialect].scope].join('/');
}

/** When a URL begins and ends, epoch ms; NaN if it does not say it. */
export function periodOf(target: string): { begin: number; end: number } {
  const { searchParams: query } = new URL(target, 'http://storage');
  const text = (name: string): string => query.get(`X-${dialectOf(query)}-${name}`) ?? '';
  const iso = text('Date').replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z');
  const begin = Date.parse(iso);
  return { begin, end: begin + Number(text('Expires')) * 1000 };
}
