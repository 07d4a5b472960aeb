import type { Account } from '../account/account';
import type { Clock } from '../clock';
import { MediaServiceError } from '../errors';
import { logIn } from './login';
import type { LoginAnswer } from './login';
import { isRetryable } from '../retry/retryable';
import { asksForLongWait, retryDelayMs } from '../retry/retry-delay';
import { createSingleFlight } from './single-flight';
import { isFresh, jwtExpiry } from './token-life';
import type { HeldToken } from './token-life';
import type { Transport } from '../transport/transport';

/** Access tokens of one account, in memory only. */
export interface TokenSource {
  /** A token that is fresh: its end is known and over 60 s away, or it is young enough. Any number of concurrent calls cause one login. */
  token(signal?: AbortSignal): Promise<string>;
  /** The service answered 401 to this token: the next `token()` logs in again, unless somebody did so meanwhile. */
  refuse(token: string): void;
  /** Logs in whatever is held; for credential tests. */
  login(signal?: AbortSignal): Promise<string>;
}

export interface TokenSourceDependencies {
  /** Normalised and checked. */
  readonly account: Account;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Tried in this order if the service refuses the account's own key: while a key is changed it can take another one. */
  readonly otherSecretKeys?: readonly string[];
}

/** Tries of one login; each signs a new timestamp. */
const MAX_TRIES = 4;
/** A refusal before this age says "revoked", not "lived that long". */
const SHORTEST_PLAUSIBLE_LIFE_MS = 10_000;

/**
 * The token source of one account. Concurrent callers share one login, and one who aborts leaves the others theirs. A login that
 * was not sent, lost its answer or met a 5xx is tried again, each time with a new timestamp; what asks for a long wait is not
 * (`asksForLongWait`: that is left to the callers), and a refused one only with another secret key of the account. The age at which
 * the service refuses a token that did not tell its end is remembered, so that the next one is renewed before it.
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
    return await logInPersistently({ account, ...dependencies }, signal);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    for (const secretKey of otherSecretKeys) {
      const again = { ...dependencies, account: { ...account, secretKey } };
      const token = await logInPersistently(again, signal).catch((other: unknown) => {
        if (isRefusal(other)) return undefined;
        throw other;
      });
      if (token !== undefined) return token;
    }
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof MediaServiceError && error.code === 'LoginRefused';
}

async function logInPersistently(
  { account, transport, clock }: TokenSourceDependencies,
  signal: AbortSignal,
): Promise<HeldToken> {
  for (let attempt = 1; ; attempt += 1) {
    const now = clock.now();
    try {
      return heldToken(await logIn({ account, transport, now, signal }), now);
    } catch (error) {
      if (attempt === MAX_TRIES || signal.aborted || !isRetryable(error) || asksForLongWait(error))
        throw error;
      await clock.sleep(retryDelayMs(error, attempt), signal);
    }
  }
}

/** A JWT's life is told by the service's clock: by its Date header, or by ours where it sends none. */
function heldToken({ accessToken, serverTime }: LoginAnswer, now: number): HeldToken {
  const expiry = jwtExpiry(accessToken);
  return {
    token: accessToken,
    bornAt: now,
    ...(expiry === undefined ? {} : { lifeMs: expiry * 1000 - (serverTime ?? now) }),
  };
}
