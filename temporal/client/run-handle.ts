import type { WorkflowHandle } from '@temporalio/client';
import { systemClock } from '../../api/clock';
import { hasCode, MediaServiceError } from '../../api/errors';
import { PAUSE_SIGNAL, RESUME_SIGNAL } from '../upload/types';
import type { TemporalConnection } from './connect';
import { isOpen } from './list-executions';
import { askTemporal } from './rpc-failure';
import { waitReasonOf } from './wait-reason';
import type { WaitReason } from './wait-reason';
import { workflowResult } from './workflow-result';
import type { ResultWait } from './workflow-result';

/** A query is a billable action, so a progress is not asked for more often, ms. */
const PROGRESS_INTERVAL_MS = 2_000;

/** An upload or a batch in Temporal, seen from outside. It runs with or without a handle. */
export interface RunHandle<Progress, Result> {
  readonly workflowId: string;
  /** True: one with the same id and meaning was running or completed, and this handle is for that one. */
  readonly joined: boolean;
  /** The progress of at most two seconds ago. Rejects with `NoWorker` if no worker can answer. */
  progress(): Promise<Progress>;
  /**
   * Waits for the end, through restarts of Temporal of up to five minutes. Rejects with the `MediaServiceError` of the
   * upload, or of the batch as a whole: one with failed rows still ends well. Rejects with the signal's reason when
   * `signal` aborts; the upload or batch then continues.
   */
  result(signal?: AbortSignal): Promise<Result>;
  /**
   * Begins no new part or row; running parts and rows end. Idempotent. `pause`, `resume` and `cancel` reject with
   * `RequestRefused` if the upload or batch has ended.
   */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Ends it. A batch first writes its results, with CANCELLED for every row that was not done. Sessions and their parts
   * stay in the service, because its interface has no call that removes them.
   */
  cancel(): Promise<void>;
}

/** What is known of a run before anything is asked. `runId` unset: its latest run. */
export interface KnownRun {
  readonly joined?: boolean;
  readonly runId?: string;
}

interface OpenRun<Progress> extends Pick<ResultWait, 'cancelled'> {
  readonly noun: 'upload' | 'batch';
  readonly workflowId: string;
  readonly known: KnownRun;
  readonly look: (handle: WorkflowHandle) => Promise<Progress>;
}

/** Sends nothing, so the first call reports an id that does not exist. */
export function openRun<Progress, Result>(
  connection: TemporalConnection,
  { noun, workflowId, known: { runId, joined = false }, look, cancelled }: OpenRun<Progress>,
): RunHandle<Progress, Result> {
  const handle = connection.client.workflow.getHandle(workflowId, runId);
  // Temporal itself accepts a cancellation of an ended workflow, and does not distinguish ended from unknown ones.
  const control = (call: () => Promise<unknown>): Promise<void> =>
    askTemporal(connection, workflowId, async () => {
      // Without a codec key, only the lister can describe it.
      const described = await connection.lister.workflow.getHandle(workflowId, runId).describe();
      if (!isOpen(described)) throw alreadyEnded(noun, workflowId, described.status.name);
      await call();
    });
  let latest: { readonly progress: Progress; readonly until: number } | undefined;
  return {
    workflowId,
    joined,
    async progress() {
      if (latest === undefined || systemClock.now() >= latest.until) {
        const progress = await askTemporal(connection, workflowId, () => look(handle));
        latest = { progress, until: systemClock.now() + PROGRESS_INTERVAL_MS };
      }
      return latest.progress;
    },
    result: (signal) => workflowResult<Result>(connection, handle, { signal, cancelled }),
    pause: () => control(() => handle.signal(PAUSE_SIGNAL)),
    resume: () => control(() => handle.signal(RESUME_SIGNAL)),
    cancel: () => control(() => handle.cancel()),
  };
}

function alreadyEnded(noun: 'upload' | 'batch', workflowId: string, status: string): MediaServiceError {
  return new MediaServiceError(
    'RequestRefused',
    `The ${noun} ${workflowId} has ended (${status}), so it can't be paused, resumed or cancelled.`,
    {
      outcome: 'refused',
      hint:
        noun === 'batch'
          ? `See its results with {batchEnd:${workflowId}}. Rows that failed can be retried.`
          : `See how it ended with {uploadEnd:${workflowId}}. If the file did not arrive, start it again.`,
      details: { workflowId, status },
    },
  );
}

/** The progress, or why nobody can say it: no worker answers. */
export async function progressOf<Progress>(
  handle: Pick<RunHandle<Progress, unknown>, 'progress'>,
): Promise<{ readonly progress: Progress } | { readonly waitReason: WaitReason }> {
  try {
    return { progress: await handle.progress() };
  } catch (error) {
    if (hasCode(error, 'NoWorker')) return { waitReason: waitReasonOf(error) };
    throw error;
  }
}
