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

export interface PartToSign {
  readonly keyName: string;
  readonly s3UploadId: string;
  readonly partNumber: number;
  /** Headers besides host that are signed too: the PUT must send exactly these. Built-in storage only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters that are signed too. Built-in storage only. */
  readonly query?: Readonly<Record<string, string>>;
}

interface SignerOptions {
  /** Origin of the listener to which the URLs lead. */
  readonly origin: string;
  readonly bucket: string;
  readonly key: SigningKey;
  readonly now: () => number;
}

/** How long a URL lives. */
const LIFE_SECONDS = 60 * 60;

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SCOPE = ['s3', 'aws4_request'];

export type UrlSigner = ReturnType<typeof urlSigner>;

/** Signs the URLs of both storages. */
export function urlSigner({ origin, bucket, key, now }: SignerOptions) {
  return {
    bucket,
    sign({ keyName, s3UploadId, partNumber, ...signed }: PartToSign): string {
      const path = `/${bucket}/${keyName}`;
      const date = new Date(now()).toISOString().replace(/[-:]|\.\d{3}/g, '');
      const headers = { ...signed.headers, host: new URL(origin).host };
      const query = new URLSearchParams({
        ...signed.query,
        ...{ partNumber: String(partNumber), uploadId: s3UploadId, 'x-id': 'UploadPart' },
        'X-Amz-Algorithm': ALGORITHM,
        'X-Amz-Credential': `${key.accessKey}/${scopeOf(date, key)}`,
        'X-Amz-Date': date,
        'X-Amz-Expires': String(LIFE_SECONDS),
        'X-Amz-SignedHeaders': Object.keys(headers).sort().join(';'),
      });
      const signature = signatureOf({ method: 'PUT', path, query, headers, date }, key);
      return `${origin}${path}?${canonicalQuery(query)}&X-Amz-Signature=${signature}`;
    },
    /** Without a query. */
    objectUrl: (keyName: string): string => `${origin}/${bucket}/${keyName}`,
  };
}

/** Why storage refuses the URL, or undefined if it is valid. */
export function judgeUrl(
  { method = '', url = '/', headers: sent }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  key: SigningKey,
  now: number,
): StorageRefusal | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://storage');
  const text = (name: string): string => query.get(`X-Amz-${name}`) ?? '';
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
  const text = [ALGORITHM, date, scopeOf(date, key), digest].join('\n');
  const signingKey = [date.slice(0, 8), key.region, ...SCOPE].reduce<string | Buffer>(
    (signer, piece) => createHmac('sha256', signer).update(piece).digest(),
    `AWS4${key.secretKey}`,
  );
  return createHmac('sha256', signingKey).update(text).digest('hex');
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
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

function scopeOf(date: string, key: SigningKey): string {
  return [date.slice(0, 8), key.region, ...SCOPE].join('/');
}

/** When a URL begins and ends, epoch ms; NaN if it does not say it. */
export function periodOf(target: string): { begin: number; end: number } {
  const { searchParams: query } = new URL(target, 'http://storage');
  const text = (name: string): string => query.get(`X-Amz-${name}`) ?? '';
  const iso = text('Date').replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z');
  const begin = Date.parse(iso);
  return { begin, end: begin + Number(text('Expires')) * 1000 };
}
