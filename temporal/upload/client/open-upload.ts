import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { given, isJsonObject } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';
import { systemClock } from '../../../api/clock';
import { isCancelling } from '../../client/list-executions';
import type { UploadProgress, UploadResult } from '../../../api/upload/request/upload-request';
import { PAUSE_SIGNAL, PROGRESS_QUERY, RESUME_SIGNAL, SEND_PARTS } from '../types';
import type { UploadMemo, WorkflowProgress } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { findWaitReason, payloadReader, waitReasonOf } from '../../client/wait-reason';
import type { WaitReason } from '../../client/wait-reason';
import { QUERY_INTERVAL_MS, queryWorkflow } from '../../client/query-workflow';
import { askTemporal } from '../../client/rpc-failure';
import { controlWorkflow } from '../../client/control-workflow';
import { workflowResult } from '../../client/workflow-result';
import { readListing } from './list-uploads';
import type { UploadListing } from './list-uploads';

/**
 * A handle of an upload that anybody started before. Sends nothing, so the first call reports an id that does not
 * exist.
 */
export function openUpload(
  connection: TemporalConnection,
  workflowId: string,
  known: Pick<Partial<UploadHandle>, 'joined' | 'runId' | 'warning'> = {},
): UploadHandle {
  const { client } = connection;
  const handle = client.workflow.getHandle(workflowId, known.runId);
  const asked = <T>(call: () => Promise<T>): Promise<T> => askTemporal(connection, workflowId, call);
  const control = (call: () => Promise<unknown>): Promise<void> =>
    controlWorkflow(connection, { handle, noun: 'upload' }, call);
  let latest: WorkflowProgress | undefined;
  let askedAt = 0;
  let lastInFlight = 0;
  return {
    workflowId,
    joined: known.joined ?? false,
    ...given({ runId: known.runId, warning: known.warning }),
    async progress() {
      let description = await asked(() => handle.describe());
      let inFlight = await partsInFlight(client, description);
      // The bytes of an ended run are no longer in flight. Only the workflow knows that they arrived.
      const hasEndedRun = inFlight.bytesInFlight < lastInFlight;
      if (latest === undefined || hasEndedRun || systemClock.now() - askedAt >= QUERY_INTERVAL_MS) {
        const query = { name: PROGRESS_QUERY, taskQueue: description.taskQueue };
        latest = await asked(() => queryWorkflow<WorkflowProgress>(connection, handle, query));
        askedAt = systemClock.now();
        // Describes again, because a run that ended meanwhile would count twice.
        description = await asked(() => handle.describe());
        inFlight = await partsInFlight(client, description);
      }
      lastInFlight = inFlight.bytesInFlight;
      const { waitReason, ...progress } = latest;
      const seen = await findWaitReason(connection, description);
      const obstacle = seen ?? (waitReason === undefined ? undefined : waitReasonOf(waitReason));
      return {
        ...progress,
        ...inFlight,
        ...(isCancelling(description) ? { phase: 'cancelling' } : {}),
        ...given({ waitReason: obstacle }),
      };
    },
    result: (signal) =>
      workflowResult<UploadResult>(connection, handle, {
        signal,
        cancelled({ memo }) {
          const { cancelled, uploadId, mediaId }: UploadMemo = memo ?? {};
          const { orphans, ...how }: Partial<typeof cancelled> = cancelled ?? {};
          return { ...how, details: given({ uploadId, mediaId, orphans }) };
        },
      }),
    pause: () => control(() => handle.signal(PAUSE_SIGNAL)),
    resume: () => control(() => handle.signal(RESUME_SIGNAL)),
    cancel: () => control(() => handle.cancel()),
  };
}

/** Progress including parts in flight. A progress bar shows `bytesDone + bytesInFlight`. */
export interface LiveProgress extends UploadProgress, PartsInFlight {
  /** Why the last try of a retried step failed: its file, a part, or a call of the service. */
  readonly waitReason?: WaitReason;
}

/** One upload in Temporal, seen from outside. It runs with or without a handle. */
export interface UploadHandle {
  readonly workflowId: string;
  readonly runId?: string;
  /** True: an upload with the same id and meaning was running or completed, and this handle is for that upload. */
  readonly joined: boolean;
  /** What could not be checked when the upload was joined: a full sentence. */
  readonly warning?: string;
  /**
   * Asks the workflow every two seconds at most, and reads the parts' heartbeats each time. Rejects with `NoWorker` if no worker can answer.
   */
  progress(): Promise<LiveProgress>;
  /**
   * Waits for the end, through restarts of Temporal of up to five minutes. Rejects with the upload's own
   * `MediaServiceError`. Rejects with the signal's reason when `signal` aborts; the upload then continues.
   */
  result(signal?: AbortSignal): Promise<UploadResult>;
  /**
   * Begins no new part; running parts end. Idempotent. `pause`, `resume` and `cancel` reject with `RequestRefused` if
   * the upload has ended.
   */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Ends the upload. The session and its parts stay in the service, because its interface has no call that removes
   * them.
   */
  cancel(): Promise<void>;
}

/**
 * `listing`: no worker answered, so it contains only what Temporal itself knows. `waitReason` is unset after the
 * upload has ended.
 */
export type UploadState =
  { readonly progress: LiveProgress } | { readonly listing: UploadListing; readonly waitReason?: WaitReason };

/** The state of an upload, as far as it can be known now. A missing worker is a reason for waiting, not an error. */
export async function readUploadState(
  connection: TemporalConnection,
  workflowId: string,
): Promise<UploadState> {
  try {
    return { progress: await openUpload(connection, workflowId).progress() };
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    if (error.code !== 'NoWorker') throw error;
    const listing = await readListing(connection, workflowId);
    return listing.closedAt === undefined ? { listing, waitReason: waitReasonOf(error) } : { listing };
  }
}

type PendingActivities = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>;
type PendingActivity = PendingActivities[number];

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
