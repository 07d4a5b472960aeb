import { createHash } from 'node:crypto';
import type { Account } from '../../../api/account/account';
import { MediaServiceError } from '../../../api/errors';
import { systemClock } from '../../../api/system-clock';
import { createTokenSource } from '../../../api/login/token-source';
import type { TokenSource } from '../../../api/login/token-source';
import type { Transport } from '../../../api/transport/transport';

export interface BorrowedTokens {
  readonly tokens: TokenSource;
  /** After this no login goes out over the borrower's transport. */
  readonly giveBack: () => void;
}

interface SharedSource {
  readonly tokens: TokenSource;
  /** Of the executions under way, oldest first. */
  readonly borrowers: Set<Transport>;
}

/** Accounts whose tokens are kept; the least recently used one goes first. */
const MOST_SOURCES = 100;
const sources = new Map<string, SharedSource>();

/**
 * The token source that all executions of this process share per account, so that any number of nodes log in once. Tokens live in
 * memory only, under a hash of address, sub-account and keys: changed keys are another account. A login goes out over the
 * transport of an execution that is under way, since n8n's helpers belong to one execution each.
 */
export function borrowTokens(account: Account, transport: Transport): BorrowedTokens {
  const key = keyOf(account);
  const source = sources.get(key) ?? newSource(account);
  sources.delete(key);
  sources.set(key, source);
  for (const [oldest, { borrowers }] of sources) {
    if (sources.size <= MOST_SOURCES) break;
    if (borrowers.size === 0) sources.delete(oldest);
  }
  source.borrowers.add(transport);
  return { tokens: source.tokens, giveBack: () => void source.borrowers.delete(transport) };
}

function newSource(account: Account): SharedSource {
  const borrowers = new Set<Transport>();
  const transport: Transport = {
    send: (request) => {
      const newest = [...borrowers].at(-1);
      if (newest === undefined) throw new MediaServiceError('Cancelled', 'The execution has ended.');
      return newest.send(request);
    },
  };
  return { tokens: createTokenSource({ account, transport, clock: systemClock }), borrowers };
}

function keyOf({ baseUrl, externalId, apiKey, secretKey }: Account): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, externalId, apiKey, secretKey]))
    .digest('hex');
}
