import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { payloadReader } from './payload-reader';
import { isJsonObject } from '../../api/json';
import type { UploadGroupKind } from '../contract/upload-groups';

type PendingActivities = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>;
type PendingActivity = PendingActivities[number];

const PARTS: UploadGroupKind = 'sendParts';

/** Parts in flight, according to their last heartbeats. */
export interface PartsInFlight {
  /** Bytes sent by groups that have not ended. */
  readonly bytesInFlight: number;
  /**
   * When a worker last sent a heartbeat for these parts, epoch ms by the server's clock. Unset: no worker has them.
   */
  readonly heartbeatAt?: number;
  /** Parts are due, but none has begun. */
  readonly waitsForSlot?: true;
}

/** Reads the description only, so it needs no workflow task. */
export async function partsInFlight(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<PartsInFlight> {
  const groups = (description.raw.pendingActivities ?? []).filter(
    ({ activityType }) => activityType?.name === PARTS,
  );
  const read = payloadReader({ client });
  let bytes = 0;
  for (const { heartbeatDetails } of groups) {
    for (const details of await read(heartbeatDetails?.payloads ?? [])) {
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
