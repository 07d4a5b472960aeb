import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildCommand } from '../support/command';
import { recordedHistory } from '../support/recorded-history';
import { useUploadBed } from '../support/upload-bed';
import type { WorkflowBundle } from '../../temporal/worker/workflow-bundle';
import { installLogger } from '../../temporal/worker/json-log';
import { HISTORIES, historyFiles } from '../support/saved-histories';
import { bundledWorkflows, testWorkflowBundle } from '../support/workflow-bundle';

const INCOMPATIBLE = require.resolve('../histories/incompatible-workflows');

beforeAll(() => {
  installLogger('error', () => undefined);
});

async function replay(
  workflowBundle: WorkflowBundle,
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

let built: Promise<void> | undefined;

/** Made by the build, which costs nothing where it was made already. */
async function builtBundle(): Promise<string> {
  built ??= buildCommand();
  await built;
  return resolve(__dirname, '..', '..', 'dist', 'temporal', 'workflow-bundle.js');
}

const UPLOADS = ['cancelled', 'completed', 'failed', 'orphan', 'paused', 'restarted'];
const BATCHES = ['batch-cancelled', 'batch-completed', 'batch-continued', 'batch-page-lost', 'batch-paused'];

describe('saved histories of earlier releases', () => {
  it.each([
    ['the workflows as they are now', testWorkflowBundle],
    ['the minified file that users get', builtBundle],
  ])('are replayed by %s', async (_what, bundle) => {
    const files = await historyFiles();
    const names = files.map((path) => path.slice(HISTORIES.length + 1));
    expect(names).toEqual(
      expect.arrayContaining(
        [...UPLOADS, ...BATCHES, ...BATCHES.map((batch) => `${batch}-page`)].map(
          (name) => `0.1.0/${name}.json`,
        ),
      ),
    );
    expect(await replay({ codePath: await bundle() }, files)).toEqual(files.map(() => undefined));
  });

  it('show a workflow that is not compatible any more', async () => {
    const files = (await historyFiles()).filter((path) => path.endsWith('/completed.json'));
    const code = await bundledWorkflows(INCOMPATIBLE);
    expect(await replay({ code }, files)).toEqual(files.map(() => 'DeterminismViolationError'));
  });
});

describe('a workflow that fails', () => {
  const on = useUploadBed({ worker: false });

  it('names its type, without a stack, since stacks of workflows cost more than their work', async () => {
    const { bed } = on;
    await bed.startWorker({}, await builtBundle());
    bed.simulator.fault('processing-failed:codec not supported');
    const { path } = await bed.writeFile('film.mp4', 1);
    const { workflowId, result } = await bed.start(path);
    await expect(result()).rejects.toMatchObject({ code: 'ProcessingFailed' });
    const { events } = JSON.parse(await recordedHistory(bed.connection, workflowId)) as { events: unknown[] };
    expect(events.at(-1)).toMatchObject({
      workflowExecutionFailedEventAttributes: {
        failure: {
          applicationFailureInfo: { type: 'ProcessingFailed' },
          stackTrace: expect.not.stringContaining('    at '),
        },
      },
    });
  });
});
