import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { isJsonObject } from '../../api/json';
import type { UploadGroupKind } from '../contract/upload-groups';

type PendingActivities = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>;
type PendingActivity = PendingActivities[number];
type Payloads = NonNullable<NonNullable<PendingActivity['heartbeatDetails']>['payloads']>;

const PARTS: UploadGroupKind = 'sendParts';

/** Parts under way, as of their last heartbeats. */
export interface PartsInFlight {
  /** Bytes that were sent of groups that have not ended. */
  readonly bytesInFlight: number;
  /** Epoch ms by the server's clock: when a worker last gave a sign of these parts. Unset: none is with a worker. */
  readonly heartbeatAt?: number;
  /** Parts are due, and none has begun. */
  readonly waitsForSlot?: true;
}

/** Costs no workflow task. */
export async function partsInFlight(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<PartsInFlight> {
  const groups = (description.raw.pendingActivities ?? []).filter(
    ({ activityType }) => activityType?.name === PARTS,
  );
  let bytes = 0;
  for (const { heartbeatDetails } of groups) {
    for (const details of await decode(client, heartbeatDetails?.payloads ?? [])) {
      if (isJsonObject(details) && typeof details['bytes'] === 'number') bytes += details['bytes'];
    }
  }
  const signs = groups.flatMap(signOfLife);
  return {
    bytesInFlight: bytes,
    ...(signs.length === 0 ? {} : { heartbeatAt: Math.max(...signs) }),
    ...(groups.length > 0 && bytes === 0 ? { waitsForSlot: true } : {}),
  };
}

function signOfLife({ lastHeartbeatTime, lastStartedTime }: PendingActivity): number[] {
  return [lastHeartbeatTime, lastStartedTime].flatMap((time) =>
    time == null ? [] : [Number(time.seconds ?? 0) * 1000 + Math.floor((time.nanos ?? 0) / 1_000_000)],
  );
}

async function decode({ options }: Client, payloads: Payloads): Promise<unknown[]> {
  const { payloadCodecs, payloadConverter } = options.loadedDataConverter;
  let plain = payloads;
  for (const codec of [...payloadCodecs].reverse()) plain = await codec.decode(plain);
  return plain.map((payload) => payloadConverter.fromPayload(payload));
}
