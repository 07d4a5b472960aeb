import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { isJsonObject } from '../../api/json';
import type { UploadGroupKind } from '../contract/upload-groups';

type PendingActivities = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>;
type Payloads = NonNullable<NonNullable<PendingActivities[number]['heartbeatDetails']>['payloads']>;

const PARTS: UploadGroupKind = 'sendParts';

/** Bytes that groups of parts under way have sent, as of their last heartbeats: up to a heartbeat interval old. Costs no workflow task. */
export async function bytesInFlight(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<number> {
  let bytes = 0;
  for (const activity of description.raw.pendingActivities ?? []) {
    if (activity.activityType?.name !== PARTS) continue;
    for (const details of await decode(client, activity.heartbeatDetails?.payloads ?? [])) {
      if (isJsonObject(details) && typeof details['bytes'] === 'number') bytes += details['bytes'];
    }
  }
  return bytes;
}

async function decode({ options }: Client, payloads: Payloads): Promise<unknown[]> {
  const { payloadCodecs, payloadConverter } = options.loadedDataConverter;
  let plain = payloads;
  for (const codec of [...payloadCodecs].reverse()) plain = await codec.decode(plain);
  return plain.map((payload) => payloadConverter.fromPayload(payload));
}
