import type { Account } from '../account';
import type { Clock } from '../clock';
import { hasCode } from '../errors';
import { logIn } from './login';
import type { Transport } from '../transport/transport';

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
  let held: HeldToken | undefined;
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

interface HeldToken {
  readonly token: string;
  /** When we requested it, epoch ms of our clock. */
  readonly bornAt: number;
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
