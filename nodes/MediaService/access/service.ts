import { createHash } from 'node:crypto';
import { checkAccount } from '../../../api/account';
import type { Account } from '../../../api/account';
import { createService } from '../../../api/service/create-service';
import { retryingService } from '../../../api/service/service';
import type { RetryingService } from '../../../api/service/service';
import { n8nClock } from '../../../n8n/n8n-clock';
import { createN8nTransport } from '../../../n8n/n8n-transport';
import type { HttpHelper } from '../../../n8n/n8n-transport';
import { allowedDomainsOf } from '../../../n8n/allowed-domains';
import { accountOfCredential } from '../../../n8n/credential-account';
import type { CredentialData } from '../../../n8n/credential-account';
import { MediaServiceError } from '../../../api/errors';
import { createTokenSource } from '../../../api/login/login';
import type { TokenSource } from '../../../api/login/login';
import type { Transport } from '../../../api/transport/transport';

/**
 * The account of the credential "Media Service API" as a service. It uses n8n's HTTP helper and the tokens that all
 * executions share.
 */
export function openService(helper: HttpHelper, data: CredentialData): RetryingService {
  const { account: typed, options } = accountOfCredential(data);
  const account = checkAccount(typed, options);
  const transport = createN8nTransport(helper, allowedDomainsOf(data));
  const tokens = sharedTokens(account, transport);
  return retryingService(createService({ account, options, transport, tokens, clock: n8nClock }));
}

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
function sharedTokens(account: Account, transport: Transport): TokenSource {
  const { baseUrl, externalId, apiKey, secretKey } = account;
  const identity = JSON.stringify([baseUrl, externalId, apiKey, secretKey]);
  const key = createHash('sha256').update(identity).digest('hex');
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
