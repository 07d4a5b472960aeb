import { createHash } from 'node:crypto';
import type { Account } from '../../../api/account';
import { MediaServiceError } from '../../../api/errors';
import { n8nClock } from '../../../n8n/n8n-clock';
import { createTokenSource } from '../../../api/login/token-source';
import type { TokenSource } from '../../../api/login/token-source';
import type { Transport } from '../../../api/transport/transport';

interface SharedSource {
  readonly tokens: TokenSource;
  /** The transport of the execution that asked last. */
  asking?: WeakRef<Transport>;
}

const sources = new Map<string, SharedSource>();

/**
 * The token source of an account. All executions of this process share it, so that any number of nodes log in once.
 * Tokens are only in memory, under a hash of URL, sub-account and keys; changed keys make another account. A login
 * uses the transport of the execution that asks, and keeps none, because n8n's helpers belong to one execution each.
 */
export function sharedTokens(account: Account, transport: Transport): TokenSource {
  const key = keyOf(account);
  const source = sources.get(key) ?? newSource(account);
  sources.set(key, source);
  return {
    ...source.tokens,
    token(signal) {
      source.asking = new WeakRef(transport);
      return source.tokens.token(signal);
    },
  };
}

function newSource(account: Account): SharedSource {
  const transport: Transport = {
    send(request) {
      const asking = source.asking?.deref();
      if (asking === undefined) throw new MediaServiceError('Cancelled', 'The execution has ended.');
      return asking.send(request);
    },
  };
  const source: SharedSource = { tokens: createTokenSource({ account, transport, clock: n8nClock }) };
  return source;
}

function keyOf({ baseUrl, externalId, apiKey, secretKey }: Account): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, externalId, apiKey, secretKey]))
    .digest('hex');
}
