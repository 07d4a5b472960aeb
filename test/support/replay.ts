import type { History } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { installRuntime } from '../../temporal/worker/json-log';
import { testWorkflowBundle } from './workflow-bundle';

export interface RunHistory {
  readonly workflowId: string;
  readonly history: History;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Replays the histories by the workflows as they are now, or by those of this file. The errors, by workflow ID; none if all are deterministic.
 * One call at a time, and in a process without workers: the SDK's runtime ends with its last worker, and a replay that
 * begins just then fails.
 */
export async function replayErrors(
  histories: readonly RunHistory[],
  codePath?: string,
): Promise<Record<string, string>> {
  const before = last;
  const replay = before.then(() => errorsOf(histories, codePath));
  last = replay.catch(() => undefined);
  return replay;
}

async function errorsOf(
  histories: readonly RunHistory[],
  codePath?: string,
): Promise<Record<string, string>> {
  // The errors are returned, so that nobody needs the log.
  installRuntime('error', () => undefined);
  const workflowBundle = { codePath: codePath ?? (await testWorkflowBundle()) };
  const errors: Record<string, string> = {};
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories))
    if (error !== undefined) errors[workflowId] = `${error.name}: ${error.message}`;
  return errors;
}
