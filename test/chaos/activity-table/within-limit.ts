import { once } from 'node:events';
import { describedTexts } from '../../support/stored-texts';
import type { UploadFixture } from '../../support/upload-fixture';

/** Longer than any cell takes on a busy machine: a cell that has not ended by then never ends. */
const LIMIT_MS = 4 * 60_000;
const SHOWN = 6_000;

/** Fails a run that does not end, and says what its workflows wait for. */
export async function withinLimit<T>(fixture: UploadFixture, run: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = once(AbortSignal.timeout(LIMIT_MS), 'abort', { signal: ended.signal }).then(async () => {
    throw new Error(await openWorkflows(fixture));
  });
  return Promise.race([run, late]).finally(() => ended.abort());
}

async function openWorkflows({ connection, queuePrefix, accountId }: UploadFixture): Promise<string> {
  const query = `ExecutionStatus = 'Running' AND TaskQueue = '${queuePrefix}.${accountId}'`;
  const texts: string[] = [];
  for await (const { workflowId } of connection.client.workflow.list({ query })) {
    texts.push(workflowId, (await describedTexts(connection, workflowId)).slice(-SHOWN));
  }
  return `Not ended within ${LIMIT_MS / 1000} s:\n${texts.join('\n')}`;
}
