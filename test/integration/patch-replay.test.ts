import { randomUUID } from 'node:crypto';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { beforeAll, expect, it } from '@jest/globals';
import { connectWorker } from '../../temporal/worker/connect-worker';
import { installRuntime } from '../../temporal/worker/json-log';
import { recordedHistory } from '../support/recorded-history';
import { useUploadFixture } from '../support/upload-fixture';
import { bundled } from '../support/workflow-bundle';

/**
 * What `npm run check` relies on: Temporal marks a patch in a history, and refuses the history if the patch is gone.
 */
const on = useUploadFixture({ worker: false });
const codePath = { before: '', guarded: '' };
const history = { before: '', guarded: '' };
type Release = keyof typeof codePath;

beforeAll(async () => {
  installRuntime('error', () => undefined);
  for (const release of ['before', 'guarded'] as const) {
    codePath[release] = await bundled(require.resolve(`../histories/patch-example/${release}`));
    history[release] = await recorded(codePath[release]);
  }
});

async function recorded(path: string): Promise<string> {
  const { connection, config } = on.fixture;
  const native = await connectWorker(config.temporal);
  const taskQueue = `patch-${randomUUID()}`;
  try {
    const { namespace } = config.temporal;
    const worker = await Worker.create({
      connection: native,
      namespace,
      taskQueue,
      workflowBundle: { codePath: path },
    });
    const workflowId = taskQueue;
    await worker.runUntil(connection.client.workflow.execute('patchExample', { taskQueue, workflowId }));
    return await recordedHistory(connection, workflowId);
  } finally {
    await native.close();
  }
}

async function replay(release: Release, of: Release): Promise<string | undefined> {
  const recording = { workflowId: of, history: historyFromJSON(JSON.parse(history[of])) };
  for await (const { error } of Worker.runReplayHistories(
    { workflowBundle: { codePath: codePath[release] } },
    [recording],
  ))
    return error?.name;
  throw new Error('Nothing was replayed.');
}

it('a change behind a patch can replay both older and newer histories', async () => {
  expect([await replay('guarded', 'before'), await replay('guarded', 'guarded')]).toEqual([
    undefined,
    undefined,
  ]);
});

it('removing a patch makes the replay of its history fail', async () => {
  expect(await replay('before', 'guarded')).toBe('DeterminismViolationError');
});

it('a history records the patch that it reached, and an older history does not', () => {
  expect(history.guarded).toContain('"markerName": "core_patch"');
  expect(history.before).not.toContain('core_patch');
});
