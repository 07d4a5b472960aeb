import { accountId } from '../../../api/account/account-id';
import type { JsonObject } from '../../../api/json';
import type { Service } from '../../../api/service/service';
import { listEndedUploads } from '../../../temporal/client/list-uploads';
import type { TemporalAccess } from '../../MediaService/access/temporal-access';
import { given } from '../../MediaService/parameters';
import { shortId } from '../short-id';
import type { TriggerEvent } from '../trigger-event';
import { windowEvent } from '../window/window-event';
import type { WindowSettings } from '../window/window-event';

/** The account's upload workflows that ended, whoever started them; read from Temporal's index, which lags by seconds. */
export function endedWorkflows(
  service: Service,
  { connection, queuePrefix }: TemporalAccess,
  settings: WindowSettings,
): TriggerEvent {
  const account = accountId(service.account);
  return windowEvent(
    {
      async read(range, most, signal) {
        const uploads = await listEndedUploads(connection, {
          accountId: account,
          queuePrefix,
          range,
          limit: most + 1,
          signal,
        });
        if (uploads.length > most) return 'tooMany';
        const found = uploads.map((upload) => ({
          id: shortId(`${upload.workflowId} ${upload.runId}`),
          at: upload.closedAt?.getTime(),
          value: itemOf(upload),
        }));
        return { found, complete: true };
      },
    },
    settings,
    { asks: { account, queuePrefix }, kind: 'uploads on Temporal that ended' },
  );
}

function itemOf({
  startedAt,
  closedAt,
  ...upload
}: Awaited<ReturnType<typeof listEndedUploads>>[number]): JsonObject {
  return { ...given({ ...upload, closedAt: closedAt?.toISOString() }), startedAt: startedAt.toISOString() };
}
