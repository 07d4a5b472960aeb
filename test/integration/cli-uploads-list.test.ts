import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandEnv, linesOf, runCommand, type CommandEnd } from '../support/command';
import { useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();

const TUNING = { MEDIA_SERVICE_TUNING: '{"smallFileBytes":0}' };

function run(words: readonly string[]): Promise<CommandEnd> {
  return runCommand(words, { cwd: on.fixture.folder, env: { ...commandEnv(on.fixture), ...TUNING } });
}

interface Line {
  readonly label: string;
  readonly status: string;
  readonly workflowId: string;
}

/** The lines, once the list has `count` of them. Temporal's index is updated late. */
async function listed(words: readonly string[], count: number): Promise<Line[]> {
  const shown = async (): Promise<Line[]> =>
    linesOf<Line>(await run(['uploads', 'list', '--json', ...words]));
  return until(`uploads list ${words.join(' ')} shows ${count}`, shown, (lines) => lines.length >= count);
}

async function upload(name: string): Promise<CommandEnd> {
  await on.fixture.writeFile(name, 0.2);
  return run(['upload', name, '--wait', '--json']);
}

describe('with uploads and a batch', () => {
  beforeAll(async () => {
    const { fixture } = on;
    await upload('first.mp4');
    fixture.simulator.fault('processing-failed:codec not supported');
    expect((await upload('broken.mp4')).exit).toBe(5);
    await upload('last.mp4');
    fixture.simulator.fault('processing-failed:always:codec not supported');
    await fixture.writeFile('row.mp4', 0.2);
    await writeFile(join(fixture.folder, 'rows.csv'), 'source\nrow.mp4\n');
    const batch = ['batches', 'start', 'rows.csv', '--id', 'harbour', '--wait'];
    expect((await run(batch)).exit).toBe(5);
    fixture.simulator.clearFaults();
  });

  it('`uploads list` shows the newest start first, and no rows of batches', async () => {
    const lines = await listed([], 3);
    expect(lines.map(({ label }) => label)).toEqual(['last.mp4', 'broken.mp4', 'first.mp4']);
    const { stdout } = await run(['uploads', 'list']);
    expect(stdout).toMatch(/^STATUS +FILE +STARTED +MEDIA +WORKFLOW\n/);
    expect(stdout).toMatch(/\nFAILED +broken\.mp4 .* upload\/\S+\n/);
  });

  it.each<[label: string, words: readonly string[], files: readonly string[]]>([
    ['by status', ['--status', 'failed'], ['broken.mp4']],
    ['by two of them', ['--status', 'FAILED', '--status', 'RUNNING'], ['broken.mp4']],
    ['by name', ['--name', 'ST.'], ['last.mp4', 'first.mp4']],
    ['by start', ['--from', '-1h'], ['last.mp4', 'broken.mp4', 'first.mp4']],
    ['by number', ['--limit', '1'], ['last.mp4']],
  ])('`uploads list` can filter %s', async (_label, words, files) => {
    expect((await listed(words, files.length)).map(({ label }) => label)).toEqual(files);
  });

  it('`uploads list` refuses a status that no upload has', async () => {
    expect(await run(['uploads', 'list', '--status', 'LOST'])).toMatchObject({ exit: 2, stdout: '' });
  });

  it('`uploads list` is empty for a time before all uploads', async () => {
    expect(await run(['uploads', 'list', '--to', '-1h'])).toEqual({
      exit: 0,
      stdout: '',
      stderr: '0 uploads.\n',
    });
  });

  it('`uploads show` explains a failed upload and what to do, as `uploads wait` does', async () => {
    const [{ workflowId } = { workflowId: '' }] = await listed(['--status', 'FAILED'], 1);
    const shown = await run(['uploads', 'show', workflowId]);
    expect(shown).toMatchObject({
      exit: 5,
      stdout: expect.stringMatching(/^broken\.mp4: FAILED, started .*, ended /),
    });
    const waited = await run(['uploads', 'wait', workflowId, '--json']);
    expect(shown.stderr).toContain('Error (broken.mp4): ');
    expect(shown.stderr).toContain('codec not supported');
    const asJson = await run(['uploads', 'show', workflowId, '--json']);
    expect(asJson).toMatchObject({ exit: 5, stderr: waited.stderr });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ workflowId, status: 'FAILED' });
    const { uploadId = '' } =
      on.fixture.simulator.seen().sessions.find(({ status }) => status === 'FAILED') ?? {};
    expect(await run(['uploads', 'show', uploadId, '--session'])).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/: FAILED, .*codec not supported/),
    });
  });
});
