import { createHmac } from 'node:crypto';
import type { Account } from '../account';
import { errorOfAnswer, nameOperation } from '../answers/answer-error';
import { MediaServiceError, hasCode } from '../errors';
import { isJsonObject } from '../json';
import { outlineOf, parseJson, readStart, readText, unreadable } from '../answers/read-answer';
import type { ServiceAnswer } from '../answers/read-answer';
import { isPassingRefusal } from '../retry';
import type { Transport } from '../transport/transport';
import { untilAborted } from '../clock';
import type { Clock } from '../clock';

/**
 * The login body: `{"timestamp":"<ISO 8601 with zone>"}` without any whitespace. Exactly this text is signed and sent.
 * api.md, "Authentication".
 */
export function loginBody(timestamp: string): string {
  return JSON.stringify({ timestamp });
}

/** HMAC-SHA256 over the UTF-8 of `body`, in lower-case hexadecimal: the value of `x-authentication-signature`. */
export function signLoginBody(body: string, secretKey: string): string {
  return createHmac('sha256', secretKey).update(body, 'utf8').digest('hex');
}

interface LoginRequest {
  /** Normalised and checked. */
  readonly account: Account;
  readonly transport: Transport;
  /** Epoch ms; the login signs it as its timestamp. */
  readonly now: number;
}

const OPERATION = 'login';
const MAX_ANSWER_BYTES = 1024 * 1024;
/** The interface refuses older timestamps. */
const MAX_TIMESTAMP_AGE_MS = 30 * 60_000;
/** Smaller differences between the clocks are not mentioned. */
const NOTABLE_SKEW_MS = 60_000;
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);

/**
 * Logs in once, with a single request. api.md, "POST {base_url}/api/login". A refusal (400, 401, 403) becomes a
 * `LoginRefused` that compares the service's clock with ours. Other answers become errors of `errorOfAnswer`. The
 * refresh token is dropped, because its use is not documented.
 */
export function logIn(request: LoginRequest): Promise<string> {
  return sendLogin(request).catch((error: unknown) => {
    throw nameOperation(error, OPERATION);
  });
}

async function sendLogin(request: LoginRequest): Promise<string> {
  const { account, transport, now } = request;
  const body = loginBody(new Date(now).toISOString());
  const sent = await transport.send({
    method: 'POST',
    url: `${account.baseUrl}/api/login`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-authentication-api-key': account.apiKey,
      'x-multitenant-external-id': account.externalId,
      'x-authentication-signature': signLoginBody(body, account.secretKey),
    },
    body,
  });
  const { status, headers } = sent;
  if (status < 200 || status >= 300) {
    const text = await readStart(sent.body, MAX_ANSWER_BYTES);
    throw loginError({ status, headers, text }, account, now);
  }
  const text = await readText(sent.body, MAX_ANSWER_BYTES, headers['content-type']);
  return readAccessToken({ status, headers, text });
}

function readAccessToken(answer: ServiceAnswer): string {
  const json = parseJson(OPERATION, answer);
  const token = isJsonObject(json) ? json['accessToken'] : undefined;
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw unreadable(OPERATION, `the answer has no usable "accessToken"; it is ${outlineOf(json)}`, {
    status: answer.status,
    hint: 'Check that the base URL is that of the Media Service.',
  });
}

function loginError(answer: ServiceAnswer, account: Account, now: number): MediaServiceError {
  const secrets = [account.apiKey, account.secretKey];
  const error = errorOfAnswer(OPERATION, answer, { now, secrets });
  if (!REFUSALS.has(answer.status) || isPassingRefusal(error)) return error;
  const skew = skewOf(answer.headers, now);
  const { hint: _general, ...facts } = error.facts;
  return new MediaServiceError('LoginRefused', error.message, {
    ...facts,
    hint: refusalHint(skew),
    ...(skew === undefined ? {} : { details: { clockSkewMs: skew } }),
  });
}

/** Our clock minus the service's, ms. */
function skewOf(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const serverTime = Date.parse(headers['date'] ?? '');
  return Number.isNaN(serverTime) ? undefined : now - serverTime;
}

function refusalHint(skew: number | undefined): string {
  const keys =
    'Check the API key, the secret key and the external id, each pasted in full, and that all three belong to this address.';
  if (skew === undefined || Math.abs(skew) < NOTABLE_SKEW_MS) return keys;
  const minutes = Math.round(Math.abs(skew) / 60_000);
  const clock = `This machine's clock is ${minutes} min ${skew > 0 ? 'ahead of' : 'behind'} the service's`;
  return Math.abs(skew) >= MAX_TIMESTAMP_AGE_MS
    ? `${clock}, and the service refuses a timestamp more than 30 minutes off: set the clock (NTP), then try again.`
    : `${keys} ${clock}: set it (NTP) as well.`;
}

/** The access tokens of one account, kept in memory only. */
export interface TokenSource {
  /**
   * Returns a token that is less than five minutes old. Concurrent calls share one login.
   */
  token(signal?: AbortSignal): Promise<string>;
  /**
   * Reports that the service answered 401 to this token. The next `token()` logs in again, unless somebody did so
   * meanwhile.
   */
  refuse(token: string): void;
  /** Always logs in, even with a fresh token. For credential tests. */
  login(signal?: AbortSignal): Promise<string>;
}

interface TokenSourceDependencies {
  /** Normalised and checked. */
  readonly account: Account;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Tried in this order if the service refuses the account's own key. They bridge the time while a key is replaced. */
  readonly otherSecretKeys?: readonly string[];
}

/** How long a token is used. One that ends earlier meets a 401, which renews it. */
const TRUST_MS = 5 * 60_000;

/**
 * Creates the token source of one account. Concurrent callers share one login; a caller that aborts does not affect the
 * others.
 *
 * A login is sent once. A refused one is sent again only with another secret key of the account.
 */
export function createTokenSource(dependencies: TokenSourceDependencies): TokenSource {
  const { clock } = dependencies;
  /** `bornAt`: when we requested it, epoch ms of our clock. */
  let held: { readonly token: string; readonly bornAt: number } | undefined;
  let running: Promise<string> | undefined;

  async function logInNow(): Promise<string> {
    const bornAt = clock.now();
    const token = await logInWithAnyKey(dependencies);
    held = { token, bornAt };
    return token;
  }

  const login = (signal?: AbortSignal): Promise<string> => {
    running ??= logInNow().finally(() => (running = undefined));
    return untilAborted(running, signal);
  };

  return {
    login,
    async token(signal) {
      signal?.throwIfAborted();
      // After somebody set the clock back, ages mean nothing.
      const age = held === undefined ? -1 : clock.now() - held.bornAt;
      return held !== undefined && age >= 0 && age < TRUST_MS ? held.token : login(signal);
    },
    refuse(token) {
      if (held?.token === token) held = undefined;
    },
  };
}

async function logInWithAnyKey({
  account,
  transport,
  clock,
  otherSecretKeys = [],
}: TokenSourceDependencies): Promise<string> {
  let refusal: unknown;
  for (const secretKey of [account.secretKey, ...otherSecretKeys]) {
    try {
      return await logIn({ account: { ...account, secretKey }, transport, now: clock.now() });
    } catch (error) {
      if (!hasCode(error, 'LoginRefused')) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}
