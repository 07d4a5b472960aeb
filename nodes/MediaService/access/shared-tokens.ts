import { createHash } from 'node:crypto';
import type { Account } from '../../../api/account';
import { MediaServiceError } from '../../../api/errors';
import { n8nClock } from '../../../n8n/n8n-clock';
import { createTokenSource } from '../../../api/login/token-source';
import type { TokenSource } from '../../../api/login/token-source';
import type { Transport } from '../../../api/transport/transport';

interface BorrowedTokens {
  readonly tokens: TokenSource;
  /** After this call, no login uses the borrower's transport. */
  readonly release: () => void;
}

interface SharedSource {
  readonly tokens: TokenSource;
  /** Transports of running executions, oldest first. */
  readonly borrowers: Set<Transport>;
}

const sources = new Map<string, SharedSource>();

/**
 * The token source of an account. All executions of this process share it, so that any number of nodes log in once.
 * Tokens are only in memory, under a hash of URL, sub-account and keys; changed keys make another account. A login
 * uses the transport of a running execution, because n8n's helpers belong to one execution each.
 */
export function borrowTokens(account: Account, transport: Transport): BorrowedTokens {
  const key = keyOf(account);
  const source = sources.get(key) ?? newSource(account);
  sources.set(key, source);
  source.borrowers.add(transport);
  return { tokens: source.tokens, release: () => void source.borrowers.delete(transport) };
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
  return { tokens: createTokenSource({ account, transport, clock: n8nClock }), borrowers };
}

function keyOf({ baseUrl, externalId, apiKey, secretKey }: Account): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, externalId, apiKey, secretKey]))
    .digest('hex');
}
