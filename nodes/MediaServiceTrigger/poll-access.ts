import type { IPollFunctions } from 'n8n-workflow';
import type { Service } from '../../api/service/service';
import { openService } from '../MediaService/access/open-service';
import type { OpenedService } from '../MediaService/access/open-service';
import { ConfigurationError } from '../../api/errors';
import { TEMPORAL_CREDENTIAL, openTemporal } from '../MediaService/access/temporal-access';
import type { TemporalAccess } from '../MediaService/access/temporal-access';

/** What one poll opens, when first needed, and closes together. */
export interface PollAccess {
  readonly context: IPollFunctions;
  /** Aborts when the poll has to come to its end. */
  readonly signal: AbortSignal;
  readonly service: () => Promise<Service>;
  /** Rejects with what to do if no Temporal credential is chosen. */
  readonly temporal: () => Promise<TemporalAccess>;
  readonly close: () => Promise<void>;
}

/** n8n gives up a poll at its budget: what we do ends before, so that what was read is handed over. */
const SHARE_OF_BUDGET = 0.8;
/** n8n tells no budget before version 2.39. */
const DEFAULT_BUDGET_MS = 120_000;

export function openPoll(context: IPollFunctions): PollAccess {
  let opened: OpenedService | undefined;
  let temporal: TemporalAccess | undefined;
  return {
    context,
    signal: AbortSignal.timeout(Math.floor(budgetMs(context) * SHARE_OF_BUDGET)),
    async service() {
      opened ??= openService(context.helpers, await context.getCredentials('mediaServiceApi'));
      return opened.service;
    },
    async temporal() {
      if (context.getNode().credentials?.[TEMPORAL_CREDENTIAL] === undefined) throw noTemporal();
      temporal ??= await openTemporal(await context.getCredentials(TEMPORAL_CREDENTIAL));
      return temporal;
    },
    async close() {
      opened?.giveBack();
      await temporal?.connection.close();
    },
  };
}

function budgetMs(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
  const budget = context.getPollBudgetMs?.();
  return budget === undefined || !(budget > 0) ? DEFAULT_BUDGET_MS : budget;
}

function noTemporal(): ConfigurationError {
  return new ConfigurationError(
    TEMPORAL_CREDENTIAL,
    'This event needs a Temporal API credential',
    'Choose one in this node. Uploads in n8n need none: set Watch to "Uploads in n8n".',
  );
}
