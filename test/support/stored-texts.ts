import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { History } from '@temporalio/common/lib/proto-utils';
import type { TemporalConnection } from '../../temporal/client/connect';
import { readableTexts } from './recorded-history';

/**
 * Memo, summary, and pending activities with their heartbeat details and last failures, as the UI sees them without
 * codec keys.
 */
export async function describedTexts(connection: TemporalConnection, workflowId: string): Promise<string> {
  const { connection: stub, namespace } = connection;
  const request = { namespace, execution: { workflowId } };
  const description = await stub.workflowService.describeWorkflowExecution(request);
  return readableTexts(
    JSON.stringify(description, (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ),
  );
}

/** What Temporal stores for one workflow ID, in its latest run and those that continued as new. */
export interface StoredWorkflow {
  readonly workflowId: string;
  readonly history: string;
  /** The same, of each run. */
  readonly runs: readonly History[];
  readonly described: string;
}

/** What Temporal stores for a workflow and all its descendants. The first is the workflow itself. */
export async function storedTree(
  connection: TemporalConnection,
  workflowId: string,
): Promise<StoredWorkflow[]> {
  const children = new Set<string>();
  const runs: History[] = [];
  let runId: string | undefined;
  do {
    const handle = connection.client.workflow.getHandle(workflowId, runId);
    const history = await handle.fetchHistory();
    runs.push(history);
    runId = undefined;
    for (const event of history.events ?? []) {
      const child = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
      if (child) children.add(child);
      runId ??= event.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
    }
  } while (runId !== undefined);
  const described = await describedTexts(connection, workflowId);
  const history = runs.map((run) => readableTexts(historyToJSON(run))).join('\n');
  const tree: StoredWorkflow[] = [{ workflowId, history, runs, described }];
  for (const child of children) tree.push(...(await storedTree(connection, child)));
  return tree;
}

/** Every file below a folder: its path there, and its text. */
export async function filesIn(folder: string): Promise<(readonly [name: string, text: string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const),
  );
}
