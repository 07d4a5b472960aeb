import type { Account } from '../account/account';
import type { Clock } from '../clock';
import { hasCode } from '../errors';
import { logIn } from './login';
import type { LoginAnswer } from './login';
import { isPassingRefusal, isRetryable } from '../retry/retryable';
import { asksForLongWait, retryDelayMs } from '../retry/retry-delay';
import { createSingleFlight } from './single-flight';
import { isFresh, jwtExpiry } from './token-life';
import type { HeldToken } from './token-life';
import type { Transport } from '../transport/transport';

/** The access tokens of one account, kept in memory only. */
export interface TokenSource {
  /**
   * Returns a fresh token: its end is known and over 60 s away, or it is young enough. Concurrent calls share one
   * login.
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

/** Attempts of one login; each signs a new timestamp. */
const MAX_TRIES = 4;
/** A refusal before this age means that the token was revoked, not that it expired. */
const SHORTEST_PLAUSIBLE_LIFE_MS = 10_000;

/**
 * Creates the token source of one account. Concurrent callers share one login; a caller that aborts does not affect the
 * others.
 *
 * A login is retried with a new timestamp if it was not sent, lost its answer or met a 5xx. It is not retried if the
 * service asks for a long wait (`asksForLongWait`): callers decide that. A refused login is retried only with another
 * secret key of the account.
 *
 * If the service refuses a token without a known end, its age is remembered. The next token is renewed before that age.
 */
export function createTokenSource(dependencies: TokenSourceDependencies): TokenSource {
  const { clock } = dependencies;
  let held: HeldToken | undefined;
  let shortestLifeMs: number | undefined;

  const login = createSingleFlight(async (signal) => {
    held = await logInWithAnyKey(dependencies, signal);
    return held.token;
  });

  return {
    login,
    async token(signal) {
      signal?.throwIfAborted();
      return held !== undefined && isFresh(held, clock.now(), shortestLifeMs)
        ? held.token
        : await login(signal);
    },
    refuse(token) {
      if (held?.token !== token) return;
      const age = clock.now() - held.bornAt;
      if (held.lifeMs === undefined && age >= SHORTEST_PLAUSIBLE_LIFE_MS) {
        shortestLifeMs = Math.min(age, shortestLifeMs ?? age);
      }
      held = undefined;
    },
  };
}

async function logInWithAnyKey(
  { account, otherSecretKeys = [], ...dependencies }: TokenSourceDependencies,
  signal: AbortSignal,
): Promise<HeldToken> {
  try {
    return await logInWithRetries({ account, ...dependencies }, signal);
  } catch (error) {
    if (!hasCode(error, 'LoginRefused')) throw error;
    for (const secretKey of otherSecretKeys) {
      const again = { ...dependencies, account: { ...account, secretKey } };
      const token = await logInWithRetries(again, signal).catch((other: unknown) => {
        if (hasCode(other, 'LoginRefused')) return undefined;
        throw other;
      });
      if (token !== undefined) return token;
    }
    throw error;
  }
}

async function logInWithRetries(
  { account, transport, clock }: TokenSourceDependencies,
  signal: AbortSignal,
): Promise<HeldToken> {
  for (let attempt = 1; ; attempt += 1) {
    const now = clock.now();
    try {
      return heldToken(await logIn({ account, transport, now, signal }), now);
    } catch (error) {
      const mayPass = isRetryable(error) || isPassingRefusal(error);
      if (attempt === MAX_TRIES || signal.aborted || !mayPass || asksForLongWait(error)) throw error;
      await clock.sleep(retryDelayMs(error, attempt), signal);
    }
  }
}

/** The service's clock decides the life of a JWT: its Date header, or our clock if there is none. */
function heldToken({ accessToken, serverTime }: LoginAnswer, now: number): HeldToken {
  const expiry = jwtExpiry(accessToken);
  return {
    token: accessToken,
    bornAt: now,
    ...(expiry === undefined ? {} : { lifeMs: expiry * 1000 - (serverTime ?? now) }),
  };
}
