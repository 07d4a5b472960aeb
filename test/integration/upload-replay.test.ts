import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { COMMAND } from '../support/built-command';
import { recordedHistory } from '../support/recorded-history';
import { useUploadFixture } from '../support/upload-fixture';
import { replayErrors } from '../support/replay';
import { historyFiles } from '../support/saved-histories';
import { bundled } from '../support/workflow-bundle';

const INCOMPATIBLE = require.resolve('../histories/incompatible-workflows');

async function replay(codePath: string, files: readonly string[]): Promise<Record<string, string>> {
  const histories = await Promise.all(
    files.map(async (path) => ({
      workflowId: path,
      history: historyFromJSON(JSON.parse(await readFile(path, 'utf8'))),
    })),
  );
  return replayErrors(histories, codePath);
}

const BUILT = join(dirname(COMMAND), '..', 'temporal', 'workflow-bundle.js');

describe('saved histories of earlier releases', () => {
  it('are replayed by the workflows as they are now, in the minified file that users get', async () => {
    expect(await replay(BUILT, await historyFiles())).toEqual({});
  });

  it('cover every workflow that can outlive an upgrade', async () => {
    const entry = await readFile(join(__dirname, '..', '..', 'temporal', 'workflow', 'index.ts'), 'utf8');
    const workflows = [...entry.matchAll(/^export \{ (\w+) \}/gm)].map(([, name]) => name);
    const files = await Promise.all((await historyFiles()).map((path) => readFile(path, 'utf8')));
    const shown = new Set(files.map((text) => /"workflowType": \{\s*"name": "(\w+)"/.exec(text)?.[1]));
    expect([...shown].sort()).toEqual(workflows.sort());
  });

  it('reveal a workflow that is no longer compatible', async () => {
    const files = (await historyFiles()).filter((path) => path.endsWith('/completed.json'));
    const errors = await replay(await bundled(INCOMPATIBLE), files);
    expect(Object.keys(errors)).toEqual(files);
    for (const error of Object.values(errors)) expect(error).toMatch(/^DeterminismViolationError: /);
  });
});

describe('a workflow that fails', () => {
  const on = useUploadFixture({ worker: false });

  it('names its type and where it failed', async () => {
    const { fixture } = on;
    await fixture.startWorker({}, BUILT);
    fixture.simulator.fault('processing-failed:codec not supported');
    const { path } = await fixture.writeFile('film.mp4', 1);
    const { workflowId, result } = await fixture.start(path);
    await expect(result()).rejects.toMatchObject({ code: 'ProcessingFailed' });
    const { events } = JSON.parse(await recordedHistory(fixture.connection, workflowId)) as {
      events: unknown[];
    };
    expect(events.at(-1)).toMatchObject({
      workflowExecutionFailedEventAttributes: {
        failure: {
          applicationFailureInfo: { type: 'ProcessingFailed' },
          stackTrace: expect.stringContaining('at uploadMedia ('),
        },
      },
    });
  });
});
