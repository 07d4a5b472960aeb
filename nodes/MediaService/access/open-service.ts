import { checkAccount } from '../../../api/account';
import { createService } from '../../../api/service/create-service';
import { retryingService } from '../../../api/service/service';
import type { RetryingService } from '../../../api/service/service';
import { n8nClock } from '../../../n8n/n8n-clock';
import { createN8nTransport } from '../../../n8n/n8n-transport';
import type { HttpHelper } from '../../../n8n/n8n-transport';
import { allowedDomainsOf } from '../../../n8n/allowed-domains';
import { accountOfCredential } from '../../../n8n/credential-account';
import type { CredentialData } from '../../../n8n/credential-account';
import { borrowTokens } from './shared-tokens';

export interface OpenedService {
  readonly service: RetryingService;
  /** After this call, no login uses this execution's transport. */
  readonly release: () => void;
}

/**
 * The account of the credential "Media Service API" as a service. It uses n8n's HTTP helper and the tokens that all
 * executions share.
 */
export function openService(helper: HttpHelper, data: CredentialData): OpenedService {
  const { account: typed, options } = accountOfCredential(data);
  const account = checkAccount(typed, options);
  const allowedDomains = allowedDomainsOf(data);
  const limits = allowedDomains === undefined ? {} : { allowedDomains };
  const transport = createN8nTransport(helper, limits);
  const { tokens, release } = borrowTokens(account, transport);
  const once = createService({ account, options, transport, tokens, clock: n8nClock });
  return { service: retryingService(once), release };
}
