import { accountId } from '../../../api/account';
import type { Service } from '../../../api/service/service';
import { listBatches } from '../../../temporal/batch/client/list-batches';
import { whyEnded } from '../../MediaService/batch/why-ended';
import { listEndedUploads } from '../../../temporal/upload/client/list-uploads';
import type { TemporalAccess } from '../../MediaService/access/temporal-access';
import { plainJson } from '../../MediaService/items';
import { shortId } from '../poll/cursor';
import type { TriggerEvent } from './trigger-event';
import type { TimePeriod } from '../poll/period-to-read';
import { periodEvent } from '../poll/period-event';
import type { PollSettings } from '../poll/period-event';

interface Ended {
  readonly workflowId: string;
  readonly runId: string;
  readonly closedAt?: Date;
}

interface Asked {
  readonly accountId: string;
  readonly queuePrefix: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

type ListEnded = (range: TimePeriod, asked: Asked) => Promise<readonly Ended[]>;

/** The account's upload workflows that ended, whoever started them. Reads Temporal's index, which lags by seconds. */
export function endedUploads(service: Service, access: TemporalAccess, settings: PollSettings): TriggerEvent {
  const asks = { account: accountId(service.account), queuePrefix: access.queuePrefix };
  return endedWorkflows(asks, settings, (range, asked) =>
    listEndedUploads(access.connection, { ...asked, range }),
  );
}

/**
 * The account's batches that ended, as `endedUploads`. A batch that is started again is reported again. Each batch
 * that did not complete says why.
 */
export function endedBatches(service: Service, access: TemporalAccess, settings: PollSettings): TriggerEvent {
  const asks = { account: accountId(service.account), queuePrefix: access.queuePrefix };
  return endedWorkflows(asks, settings, async (ended, asked) => {
    const batches: Ended[] = [];
    for (const batch of await listBatches(access.connection, { ...asked, ended }))
      batches.push({ ...batch, ...(await whyEnded(access.connection, batch, asked.signal)) });
    return batches;
  });
}

function endedWorkflows(
  { account, queuePrefix }: { readonly account: string; readonly queuePrefix: string },
  settings: PollSettings,
  list: ListEnded,
): TriggerEvent {
  return periodEvent(
    {
      async read(range, maxItems, signal) {
        const ended = await list(range, { accountId: account, queuePrefix, limit: maxItems + 1, signal });
        if (ended.length > maxItems) return 'tooMany';
        const found = ended.map((one) => ({
          id: shortId(`${one.workflowId} ${one.runId}`),
          at: one.closedAt?.getTime(),
          value: plainJson(one),
        }));
        return { found, complete: true };
      },
    },
    settings,
    { account, queuePrefix },
  );
}
