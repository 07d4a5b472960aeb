import type { IExecuteFunctions } from 'n8n-workflow';
import { checkAccount } from '../../api/account/check-account';
import { createService } from '../../api/service/create-service';
import type { Service } from '../../api/service/service';
import { allowedDomainsOf } from './access/allowed-domains';
import { accountOfCredential } from './access/credential-account';
import type { CredentialData } from './access/credential-account';
import { createN8nTransport } from './n8n-transport';
import { borrowTokens } from './access/shared-tokens';
import { openTemporal, temporalCredential } from './access/temporal-access';
import type { TemporalAccess } from './access/temporal-access';

/** One run of the node: what its operations share, opened when first needed and closed together. */
export interface NodeExecution {
  readonly context: IExecuteFunctions;
  /** Aborts when the execution is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** The account of the item's credential. */
  readonly service: (itemIndex: number) => Promise<Service>;
  /** Rejects with what to do where no Temporal credential is chosen. */
  readonly temporal: (itemIndex: number) => Promise<TemporalAccess>;
  readonly close: () => Promise<void>;
}

export function openExecution(context: IExecuteFunctions): NodeExecution {
  const services = new Map<string, Service>();
  const temporals = new Map<string, Promise<TemporalAccess>>();
  const giveBacks: (() => void)[] = [];
  return {
    context,
    signal: context.getExecutionCancelSignal(),
    async service(itemIndex) {
      const data = await context.getCredentials<Record<string, unknown>>('mediaServiceApi', itemIndex);
      const key = JSON.stringify({ ...data, accessToken: '' });
      const opened = services.get(key) ?? openService(context, data, giveBacks);
      services.set(key, opened);
      return opened;
    },
    async temporal(itemIndex) {
      const data = await temporalCredential(context, itemIndex);
      const key = JSON.stringify(data);
      const opened = temporals.get(key) ?? openTemporal(data);
      temporals.set(key, opened);
      return opened;
    },
    async close() {
      giveBacks.forEach((giveBack) => giveBack());
      for (const opened of await Promise.allSettled(temporals.values())) {
        if (opened.status === 'fulfilled') await opened.value.connection.close();
      }
    },
  };
}

function openService(context: IExecuteFunctions, data: CredentialData, giveBacks: (() => void)[]): Service {
  const { account, options } = accountOfCredential(data);
  const allowedDomains = allowedDomainsOf(data);
  const limits = allowedDomains === undefined ? {} : { allowedDomains };
  const transport = createN8nTransport(context.helpers, limits);
  const { tokens, giveBack } = borrowTokens(checkAccount(account, options), transport);
  giveBacks.push(giveBack);
  return createService({ account, options, transport, tokens });
}
