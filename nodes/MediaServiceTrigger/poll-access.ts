import type { IPollFunctions } from 'n8n-workflow';
import type { Service } from '../../api/service/service';
import { openService } from '../MediaService/access/open-service';
import type { OpenedService } from '../MediaService/access/open-service';
import { ConfigurationError } from '../../api/errors';
import { TEMPORAL_CREDENTIAL, openTemporal } from '../MediaService/access/temporal-access';
import type { TemporalAccess } from '../MediaService/access/temporal-access';

/** The connections of one poll. Opened at the first use and closed together. */
export interface PollAccess {
  readonly context: IPollFunctions;
  /** Aborts when the poll must end. */
  readonly signal: AbortSignal;
  readonly service: () => Promise<Service>;
  /** If no Temporal credential is chosen, rejects with an error that says what to do. */
  readonly temporal: () => Promise<TemporalAccess>;
  readonly close: () => Promise<void>;
}

/** n8n abandons a poll after its time budget. The poll ends earlier, so that its items are kept. */
const SHARE_OF_BUDGET = 0.8;
/** n8n reports no budget before version 2.39. */
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
      opened?.release();
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
    'Choose one in this node. Uploads by their IDs need none: set Watch to "Upload IDs".',
  );
}
