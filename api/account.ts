import { createHash } from 'node:crypto';
import { wrongSetting } from './errors';

/**
 * An account of the Media Service: its addresses, its sub-account, and its secrets (in memory only). api.md,
 * "Authentication" and "Endpoints".
 */

/** Names an account without its secrets. The input of a workflow carries this. */
export interface AccountName {
  /** Address of search, login and webhook search; no trailing slash. */
  readonly baseUrl: string;
  /** Address of the upload operations; no trailing slash. Release candidate and production are two accounts. */
  readonly uploadUrl: string;
  /** Id of the sub-account on whose behalf requests are made. */
  readonly externalId: string;
}

export interface Account extends AccountName {
  readonly apiKey: string;
  readonly secretKey: string;
}

/** Options for what the interface leaves open. Every option may be unset. */
export interface ServiceOptions {
  /**
   * The tag that carries an upload's ingest key. It finds the upload again if the answer of `start` is lost. `false`
   * turns it off. Default `ingestKey`.
   */
  readonly ingestTag?: string | false;
  /**
   * The form of a request for additional pre-signed URLs, see `api/upload/protocol/additional-urls`. Unset: no upload
   * requests any.
   */
  readonly additionalUrls?: string;
  /** Template for the body of `complete`; the parts array replaces `{parts}`. Default `{"parts":{parts}}`. */
  readonly completeBody?: string;
  /** Max parts that `start` may ask for. Default 120 ("may be reduced in future updates"). */
  readonly maxParts?: number;
  /**
   * Content-Type of every part PUT. Unset: the file's MIME type if the URL's signature covers the header, else
   * application/octet-stream.
   */
  readonly partContentType?: string;
  /** Separator inside a `sort` parameter. Default `,`. */
  readonly sortSeparator?: string;
  /** Allow plain http to hosts other than loopback. Default false. */
  readonly allowPlainHttp?: boolean;
}

/** Upper bounds on the use of an account by one worker. An unset bound is not a limit. */
export interface AccountLimits {
  /** Steps that call the service, started per second. */
  readonly callsPerSecond?: number;
  /** Parts started per second, for each of the account's transfer queues. */
  readonly partsPerSecond?: number;
  /** Parts started per second by storage host, as URLs name it; `*` is each other host. */
  readonly storagePartsPerSecond?: Readonly<Record<string, number>>;
}

/** An account that a worker serves. */
export interface ServedAccount {
  readonly account: Account;
  readonly options?: ServiceOptions;
  readonly limits?: AccountLimits;
  /** Earlier or future secret keys of the account. They open seals, but never sign or seal. */
  readonly previousSecretKeys?: readonly string[];
}

const MAX_SLUG = 40;

/**
 * A short, readable name of an account: the slug of the external id, then 8 hexadecimal digits. The digits hash base
 * URL, upload URL and external id, so that release candidate and production are two accounts. The name is the same on
 * every machine and fits queue and file names.
 */
export function accountId({ baseUrl, uploadUrl, externalId }: AccountName): string {
  const name = externalId.trim();
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-|-$/g, '');
  const hash = createHash('sha256').update(
    JSON.stringify([normalAddress(baseUrl), normalAddress(uploadUrl), name]),
  );
  return `${slug === '' ? 'account' : slug}-${hash.digest('hex').slice(0, 8)}`;
}

/** The end of an operation's path. The client adds it; the account's address must not contain it. */
const OPERATION_PATH = /\/(api\/(login|media\/search|webhook\/search)|upload\/(start|[^/]+\/complete))$/;

/**
 * Returns the account in its one normal form: addresses without trailing slashes, host in lower case. Throws a
 * `ConfigurationError` that names the field (`baseUrl`, `uploadUrl`, `externalId`, `apiKey`, `secretKey`) and says what
 * to do. No message shows a key or a password. Plain http is accepted for loopback only, or for every host with
 * `allowPlainHttp`. An address may have a path.
 */
export function checkAccount(account: Account, options: ServiceOptions = {}): Account {
  return {
    baseUrl: checkAddress('baseUrl', account.baseUrl, options),
    uploadUrl: checkAddress('uploadUrl', account.uploadUrl, options),
    externalId: checkHeaderText('externalId', account.externalId),
    apiKey: checkHeaderText('apiKey', account.apiKey),
    secretKey: checkSecret('secretKey', account.secretKey),
  };
}

/** Without trailing slashes, the host in lower case. What is no URL stays as it is. */
function normalAddress(address: string): string {
  const text = address.trim();
  if (!URL.canParse(text)) return text;
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
}

function checkAddress(field: 'baseUrl' | 'uploadUrl', address: string, options: ServiceOptions): string {
  const text = checkPresent(field, address).trim();
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) {
    const example = 'Write it in full, for example https://media.example.com.';
    throw wrongSetting(field, 'must start with http:// or https://', example);
  }
  const url = new URL(text);
  const normal = normalAddress(text);
  const [operation] = OPERATION_PATH.exec(normal) ?? [];
  refuse(field, url.username !== '' || url.password !== '', [
    'holds a user name or password',
    'Remove everything up to the @: the key and the secret key have fields of their own.',
  ]);
  refuse(field, /[?#]/.test(text), ['has a query or a fragment', 'Remove everything from ? or # on.']);
  refuse(field, operation !== undefined, [
    `ends in the path of an operation, ${String(operation)}`,
    `Remove ${String(operation)}: the client adds it.`,
  ]);
  refuse(field, url.protocol === 'http:' && options.allowPlainHttp !== true && !isLoopback(url.hostname), [
    `is plain http to ${url.hostname}, so keys and tokens would be sent unencrypted`,
    USE_HTTPS,
  ]);
  return normal;
}

export const USE_HTTPS = 'Use https, or {allowPlainHttp} if the network is trusted.';

function refuse(
  field: string,
  isWrong: boolean,
  [problem, hint]: readonly [problem: string, hint: string],
): void {
  if (isWrong) throw wrongSetting(field, problem, hint);
}

/** Whether a URL's `hostname` is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

function checkPresent(field: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw wrongSetting(field, 'is empty', 'Fill it in.');
}

function checkSecret(field: string, value: string): string {
  const text = checkPresent(field, value);
  refuse(field, text !== text.trim(), [
    'begins or ends with whitespace',
    'Paste it again without the blank or line break around it.',
  ]);
  refuse(field, /^(["']).*\1$/s.test(text), [
    'is in quotes',
    'Remove them: Docker, for example, keeps the quotes of a file with variables.',
  ]);
  return text;
}

/** Checks a text for a header: visible ASCII, spaces only inside. */
function checkHeaderText(field: string, value: string): string {
  const text = checkSecret(field, value);
  const at = text.search(/[^\x20-\x7e]/);
  const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  refuse(field, at !== -1, [
    `has a character that can't be sent in a header (U+${code} at position ${at + 1})`,
    'Paste it again; word processors change dashes and add invisible characters.',
  ]);
  refuse(field, field === 'apiKey' && text.includes(' '), [
    'holds a blank inside',
    'Paste only the key, without anything before or after it.',
  ]);
  return text;
}
