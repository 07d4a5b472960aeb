import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { given, isJsonObject } from '../../../api/json';
import { isCancelling } from '../../client/list-executions';
import type { UploadProgress, UploadResult } from '../../../api/upload/types';
import { PROGRESS_QUERY, SEND_PARTS } from '../types';
import type { UploadMemo, WorkflowProgress } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { findWaitReason, payloadReader, waitReasonOf } from '../../client/wait-reason';
import type { PendingActivity, WaitReason } from '../../client/wait-reason';
import { queryWorkflow } from '../../client/query-workflow';
import { openRun } from '../../client/run-handle';
import type { KnownRun, RunHandle } from '../../client/run-handle';

/** One upload in Temporal. */
export interface UploadHandle extends RunHandle<LiveProgress, UploadResult> {
  /** What could not be checked when the upload was joined: a full sentence. */
  readonly warning?: string;
}

/** A handle of an upload that anybody started before. */
export function openUpload(
  connection: TemporalConnection,
  workflowId: string,
  known: KnownRun & Pick<UploadHandle, 'warning'> = {},
): UploadHandle {
  const run = openRun<LiveProgress, UploadResult>(connection, {
    ...{ noun: 'upload', workflowId, known },
    look: (handle) => liveProgress(connection, handle),
    cancelled({ memo }) {
      const { cancelled, uploadId, mediaId }: UploadMemo = memo ?? {};
      const { orphans, ...how }: Partial<typeof cancelled> = cancelled ?? {};
      return { ...how, details: given({ uploadId, mediaId, orphans }) };
    },
  });
  return { ...run, ...given({ warning: known.warning }) };
}

/** Progress including parts in flight. A progress bar shows `bytesDone + bytesInFlight`. */
export interface LiveProgress extends UploadProgress, PartsInFlight {
  /** Why the last try of a retried step failed: its file, a part, or a call of the service. */
  readonly waitReason?: WaitReason;
}

async function liveProgress(connection: TemporalConnection, handle: WorkflowHandle): Promise<LiveProgress> {
  const { waitReason, ...progress } = await queryWorkflow<WorkflowProgress>(
    connection,
    handle,
    PROGRESS_QUERY,
  );
  // A run of parts that ends between the two calls must not count twice.
  const description = await handle.describe();
  const seen = await findWaitReason(connection, description);
  const obstacle = seen ?? (waitReason === undefined ? undefined : waitReasonOf(waitReason));
  return {
    ...progress,
    ...(await partsInFlight(connection.client, description)),
    ...(isCancelling(description) ? { phase: 'cancelling' } : {}),
    ...given({ waitReason: obstacle }),
  };
}

/** Parts in flight, according to their last heartbeats. */
interface PartsInFlight {
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
async function partsInFlight(
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
