import type { IPollFunctions } from 'n8n-workflow';
import type { Service } from '../../api/service/service';
import { openService } from '../MediaService/access/open-service';
import { ConfigurationError } from '../../api/errors';
import { openDoor } from '../MediaService/access/door';
import type { Door } from '../MediaService/access/door';
import { WORKER_CREDENTIAL } from '../MediaService/access/worker-credential';

/** The connections of one poll. */
export interface PollAccess {
  readonly context: IPollFunctions;
  /** Aborts when the poll must end. */
  readonly signal: AbortSignal;
  readonly service: () => Promise<Service>;
  /** If no worker is chosen, rejects with an error that says what to do. */
  readonly door: () => Promise<Door>;
}

/** n8n abandons a poll after its time budget. The poll ends earlier, so that its items are kept. */
const SHARE_OF_BUDGET = 0.8;
/** n8n reports no budget before version 2.39. */
const DEFAULT_BUDGET_MS = 120_000;

export function openPoll(context: IPollFunctions): PollAccess {
  const older: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>> = context;
  const budgetMs = older.getPollBudgetMs?.() ?? DEFAULT_BUDGET_MS;
  const signal = AbortSignal.timeout(Math.floor(budgetMs * SHARE_OF_BUDGET));
  return {
    context,
    signal,
    async service() {
      return openService(context.helpers, await context.getCredentials('mediaServiceApi'));
    },
    async door() {
      if (context.getNode().credentials?.[WORKER_CREDENTIAL] === undefined) {
        const what = 'This event needs the credential "Media Service Worker API"';
        throw new ConfigurationError(WORKER_CREDENTIAL, what, 'Choose one in this node.');
      }
      return openDoor(context.helpers, await context.getCredentials(WORKER_CREDENTIAL), signal);
    },
  };
}
