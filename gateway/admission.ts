import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { accountId } from '../api/account';
import { systemClock } from '../api/clock';
import { ConfigurationError } from '../api/errors';
import { AnsweredError, tooMany } from './error-answer';
import { limitsOf } from './gateway-config';
import type { GatewayConfig } from './gateway-config';
import type { Call, Route, ServedCaller } from './route';
import { createTokenBook } from './tokens';

type Asked = Pick<FastifyRequest<{ Querystring: Call['query'] }>, 'headers' | 'ip' | 'query'>;

export type Admission = ReturnType<typeof createAdmission>;

/**
 * Decides who may do what, and how much of it at once. Throws `Configuration` if the address can be reached from other
 * machines and there are no tokens, or if several accounts are served and nothing says which one a request is for.
 */
export function createAdmission(config: GatewayConfig) {
  const { tokensFile, listen, accounts } = config;
  const served = accounts.map((one): ServedCaller => ({ ...one, accountId: accountId(one.account) }));
  const callers = new Map(served.map((caller) => [caller.accountId, caller]));
  const [only] = callers.values();
  if (only === undefined) throw new ConfigurationError('accounts', 'The gateway has no account to serve.');
  if (tokensFile === undefined) refuseWithoutTokens(listen.host, callers.size);
  const book = tokensFile === undefined ? undefined : createTokenBook(tokensFile);
  const { answering, openWaits: waiting, receiving, ...limits } = limitsOf(config);
  const rate = createRateLimiter(limits.requestsPerSecond, limits.requestsAtOnce);
  const free = { answering, waiting, receiving };
  return {
    /** Rejects with 401, 403 or 429. Call `release` once, when the answer has ended. */
    async admit(asked: Asked, { right, body }: Pick<Route, 'right' | 'body'>) {
      const bearer = bearerOf(asked.headers);
      const token = bearer === undefined ? undefined : await book?.find(bearer);
      const waitMs = rate(token?.name ?? asked.ip);
      if (waitMs !== undefined) throw tooMany('Too many requests.', waitMs);
      if (book === undefined) refuseOtherSites(asked.headers);
      else if (token === undefined) throw withoutToken(bearer);
      const caller = token === undefined ? only : callers.get(token.account);
      if (caller === undefined)
        throw new AnsweredError(403, 'AccountNotServed', 'It does not serve the account of this token.');
      if (token?.rights.includes(right) === false) {
        const message = `This token may ${token.rights.join(', ')}; this needs the right to ${right}.`;
        throw new AnsweredError(403, 'Unauthorized', message);
      }
      const { wait = '0', plan } = asked.query;
      const isWait = wait !== '0' || plan !== undefined;
      const kind = body === 'stream' ? 'receiving' : isWait ? 'waiting' : 'answering';
      if (free[kind] === 0) throw tooMany('The gateway answers as many requests as it can.');
      free[kind] -= 1;
      return {
        caller: token === undefined ? caller : { ...caller, token },
        release: (): void => void (free[kind] += 1),
      };
    },
  };
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/;

function refuseWithoutTokens(host: string, accounts: number): void {
  const isLocal = LOOPBACK.test(host);
  if (isLocal && accounts === 1) return;
  const why = isLocal
    ? `Without tokens, nothing says which of ${accounts} accounts is meant.`
    : `Other machines could reach ${host}, and there are no tokens.`;
  const hint = 'Make a token with `media-service tokens create`, and name its file with --http-tokens.';
  throw new ConfigurationError('tokensFile', why, hint);
}

function bearerOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^Bearer ([A-Za-z0-9._~+/=-]{1,256})$/i.exec(authorization)?.[1];
}

function withoutToken(bearer: string | undefined): AnsweredError {
  const message = bearer === undefined ? 'There is no token.' : 'The token is not valid.';
  const hint = 'Send a token of this gateway in the header Authorization, after the word Bearer.';
  return new AnsweredError(401, 'Unauthorized', message, { hint });
}

/** Without tokens, a web page in a browser on this machine must not be able to do anything. */
function refuseOtherSites({ host = '', origin, 'sec-fetch-site': site = 'none' }: IncomingHttpHeaders): void {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  const isLocal = name === 'localhost' || LOOPBACK.test(name);
  if (isLocal && origin === undefined && site === 'none') return;
  throw new AnsweredError(403, 'Unauthorized', 'Without tokens, only programs on this machine are answered.');
}

/** More callers than this are forgotten all at once, so that memory stays bounded. */
const MAX_CALLERS = 10_000;

/**
 * A token bucket for each caller. The function counts one request, and returns how long the caller must wait if none is
 * left, ms.
 */
function createRateLimiter(perSecond: number, atOnce: number): (caller: string) => number | undefined {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();
  return (caller) => {
    const now = systemClock.now();
    const { left: before, at } = buckets.get(caller) ?? { left: atOnce, at: now };
    const left = Math.min(atOnce, before + (Math.max(0, now - at) / 1000) * perSecond);
    if (buckets.size >= MAX_CALLERS && !buckets.has(caller)) buckets.clear();
    buckets.set(caller, { left: left >= 1 ? left - 1 : left, at: now });
    return left >= 1 ? undefined : Math.ceil(((1 - left) / perSecond) * 1000);
  };
}
