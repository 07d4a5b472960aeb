import { checkAccount } from '../../../api/account';
import { given } from '../../../api/json';
import { createService } from '../../../api/service/create-service';
import { retryingService } from '../../../api/service/service';
import type { RetryingService } from '../../../api/service/service';
import { n8nClock } from '../../../n8n/n8n-clock';
import { createN8nTransport } from '../../../n8n/n8n-transport';
import type { HttpHelper } from '../../../n8n/n8n-transport';
import { allowedDomainsOf } from '../../../n8n/allowed-domains';
import { accountOfCredential } from '../../../n8n/credential-account';
import type { CredentialData } from '../../../n8n/credential-account';
import { sharedTokens } from './shared-tokens';

/**
 * The account of the credential "Media Service API" as a service. It uses n8n's HTTP helper and the tokens that all
 * executions share.
 */
export function openService(helper: HttpHelper, data: CredentialData): RetryingService {
  const { account: typed, options } = accountOfCredential(data);
  const account = checkAccount(typed, options);
  const transport = createN8nTransport(helper, given({ allowedDomains: allowedDomainsOf(data) }));
  const tokens = sharedTokens(account, transport);
  return retryingService(createService({ account, options, transport, tokens, clock: n8nClock }));
}
