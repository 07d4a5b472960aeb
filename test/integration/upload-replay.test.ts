import { readFile } from 'node:fs/promises';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { installLogger } from '../../temporal/worker/json-log';
import { HISTORIES, historyFiles } from '../support/saved-histories';
import { bundledWorkflows, testWorkflowBundle } from '../support/workflow-bundle';

const INCOMPATIBLE = require.resolve('../histories/incompatible-workflows');

beforeAll(() => {
  installLogger('error', () => undefined);
});

async function replay(
  workflowBundle: { readonly code: string },
  files: readonly string[],
): Promise<(string | undefined)[]> {
  const histories = await Promise.all(
    files.map(async (path) => ({
      workflowId: path,
      history: historyFromJSON(JSON.parse(await readFile(path, 'utf8'))),
    })),
  );
  const errors: (string | undefined)[] = [];
  for await (const { error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    errors.push(error?.name);
  }
  return errors;
}

describe('saved histories of earlier releases', () => {
  it('are replayed by the workflows as they are now', async () => {
    const files = await historyFiles();
    const names = files.map((path) => path.slice(HISTORIES.length + 1));
    expect(names).toEqual(
      expect.arrayContaining(
        ['cancelled', 'completed', 'failed', 'orphan', 'paused', 'restarted'].map(
          (name) => `0.1.0/${name}.json`,
        ),
      ),
    );
    const code = await readFile(await testWorkflowBundle(), 'utf8');
    expect(await replay({ code }, files)).toEqual(files.map(() => undefined));
  }, 60_000);

  it('show a workflow that is not compatible any more', async () => {
    const files = (await historyFiles()).filter((path) => path.endsWith('completed.json'));
    const code = await bundledWorkflows(INCOMPATIBLE);
    expect(await replay({ code }, files)).toEqual(files.map(() => 'DeterminismViolationError'));
  }, 60_000);
});
