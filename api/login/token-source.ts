import type { Account } from '../account';
import type { Clock } from '../clock';
import { hasCode } from '../errors';
import { logIn } from './login';
import type { LoginAnswer } from './login';
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

/** A refusal before this age means that the token was revoked, not that it expired. */
const SHORTEST_PLAUSIBLE_LIFE_MS = 10_000;

/**
 * Creates the token source of one account. Concurrent callers share one login; a caller that aborts does not affect the
 * others.
 *
 * A login is sent once. A refused one is sent again only with another secret key of the account.
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
  { account, transport, clock, otherSecretKeys = [] }: TokenSourceDependencies,
  signal: AbortSignal,
): Promise<HeldToken> {
  let refusal: unknown;
  for (const secretKey of [account.secretKey, ...otherSecretKeys]) {
    const now = clock.now();
    try {
      return heldToken(await logIn({ account: { ...account, secretKey }, transport, now, signal }), now);
    } catch (error) {
      if (!hasCode(error, 'LoginRefused')) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
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

/**
 * Returns when a JWT expires, in epoch seconds, without verifying it (the service does that). Undefined for any other
 * token.
 */
function jwtExpiry(token: string): number | undefined {
  const payload = token.split('.')[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return undefined;
    return typeof claims.exp === 'number' && Number.isFinite(claims.exp) ? claims.exp : undefined;
  } catch {
    return undefined;
  }
}

interface HeldToken {
  readonly token: string;
  /** When we requested it, epoch ms of our clock. */
  readonly bornAt: number;
  /** How long it is valid from then on, ms. Unset if the token does not say it. */
  readonly lifeMs?: number;
}

/** A token with a known end is not used in its last minute. */
const MARGIN_MS = 60_000;
/** How long we trust a token without a known end. */
const TRUST_MS = 5 * 60_000;

/**
 * Returns whether a token can still be sent. A token with a known end must have over a minute left, or half its life if
 * it lives less than two minutes. A token without one must be younger than 5 minutes and than `shortestLifeMs`, the
 * shortest life seen.
 */
function isFresh(held: HeldToken, now: number, shortestLifeMs = Number.POSITIVE_INFINITY): boolean {
  const age = now - held.bornAt;
  // After somebody set the clock back, ages mean nothing.
  if (age < 0) return false;
  if (held.lifeMs === undefined) return age < Math.min(TRUST_MS, shortestLifeMs);
  return age < held.lifeMs - Math.min(MARGIN_MS, held.lifeMs / 2);
}

/**
 * All concurrent callers share one run of `work` and its result. A caller whose signal aborts leaves with the signal's
 * reason and does not affect the others. The run itself is aborted only when all callers have left. A caller that comes
 * after the run ended or was aborted starts a new one.
 */
function createSingleFlight<T>(
  work: (signal: AbortSignal) => Promise<T>,
): (signal?: AbortSignal) => Promise<T> {
  let current: Flight<T> | undefined;

  return async (signal) => {
    signal?.throwIfAborted();
    const flight = current ?? takeOff();
    flight.passengers += 1;
    try {
      return await untilAborted(flight.landing, signal);
    } finally {
      flight.passengers -= 1;
      if (flight.passengers === 0 && current === flight) {
        current = undefined;
        flight.controller.abort(signal?.reason);
      }
    }
  };

  function takeOff(): Flight<T> {
    const controller = new AbortController();
    const landing = work(controller.signal);
    const flight: Flight<T> = { controller, landing, passengers: 0 };
    const clear = (): void => {
      if (current === flight) current = undefined;
    };
    landing.then(clear, clear);
    current = flight;
    return flight;
  }
}

interface Flight<T> {
  readonly controller: AbortController;
  readonly landing: Promise<T>;
  passengers: number;
}

/** Settles like the promise, or rejects with the signal's reason as soon as it aborts. */
export function untilAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
