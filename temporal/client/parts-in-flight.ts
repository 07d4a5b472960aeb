import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { payloadReader } from './payload-reader';
import { isJsonObject } from '../../api/json';
import { SEND_PARTS } from '../upload/types';

type PendingActivities = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>;
type PendingActivity = PendingActivities[number];

/** Parts in flight, according to their last heartbeats. */
export interface PartsInFlight {
  /** Bytes sent by runs of parts that have not ended. */
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
  const runs = (description.raw.pendingActivities ?? []).filter(
    ({ activityType }) => activityType?.name === SEND_PARTS,
  );
  const read = payloadReader({ client });
  let bytes = 0;
  for (const { heartbeatDetails } of runs) {
    for (const details of await read(heartbeatDetails?.payloads ?? [])) {
      if (isJsonObject(details) && typeof details['bytes'] === 'number') bytes += details['bytes'];
    }
  }
  const signs = runs.flatMap(signOfLife);
  return {
    bytesInFlight: bytes,
    ...(signs.length === 0 ? {} : { heartbeatAt: Math.max(...signs) }),
    ...(runs.length > 0 && bytes === 0 ? { waitsForSlot: true } : {}),
  };
}

function signOfLife({ lastHeartbeatTime, lastStartedTime }: PendingActivity): number[] {
  return [lastHeartbeatTime, lastStartedTime].flatMap((time) =>
    time == null ? [] : [Number(time.seconds ?? 0) * 1000 + Math.floor((time.nanos ?? 0) / 1_000_000)],
  );
}
