import type { IPollFunctions } from 'n8n-workflow';
import type { Service } from '../../api/service/service';
import { openService } from '../MediaService/access/open-service';
import type { OpenedService } from '../MediaService/access/open-service';

/** What one poll opens, when first needed, and closes together. */
export interface PollAccess {
  readonly context: IPollFunctions;
  /** Aborts when the poll has to come to its end. */
  readonly signal: AbortSignal;
  readonly service: () => Promise<Service>;
  readonly close: () => Promise<void>;
}

/** n8n gives up a poll at its budget: what we do ends before, so that what was read is handed over. */
const SHARE_OF_BUDGET = 0.8;
/** n8n tells no budget before version 2.39. */
const DEFAULT_BUDGET_MS = 120_000;

export function openPoll(context: IPollFunctions): PollAccess {
  let opened: OpenedService | undefined;
  return {
    context,
    signal: AbortSignal.timeout(Math.floor(budgetMs(context) * SHARE_OF_BUDGET)),
    async service() {
      opened ??= openService(context.helpers, await context.getCredentials('mediaServiceApi'));
      return opened.service;
    },
    async close() {
      opened?.giveBack();
    },
  };
}

function budgetMs(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
  const budget = context.getPollBudgetMs?.();
  return budget === undefined || !(budget > 0) ? DEFAULT_BUDGET_MS : budget;
}
