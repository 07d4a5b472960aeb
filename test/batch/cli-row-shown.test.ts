import { rm, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { rowWorkflowId } from '../../temporal/contract/batch-ids';
import type { BatchHandle } from '../../temporal/client/batch/batch-handle';
import { progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { buildCommand, commandEnv, runCommand, type CommandEnd } from '../support/command';
import { until } from '../support/until';
import { PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const [COMPLETED, FAILED, HELD] = ['shown-0', 'shown-1', 'shown-2'];
let batch: BatchHandle;

function show(rowId: string, ...flags: readonly string[]): Promise<CommandEnd> {
  const { fixture } = on;
  const workflowId = rowWorkflowId(fixture.accountId, 'shown', rowId);
  const where = { cwd: fixture.folder, env: commandEnv(fixture) };
  return runCommand(['uploads', 'show', workflowId, ...flags], where);
}

beforeAll(async () => {
  const { fixture } = on;
  await buildCommand();
  const rows = await writeRows(fixture, 'shown', 3);
  await rm(rows[1]?.source ?? '');
  // The only row with a second part.
  await writeFile(rows[2]?.source ?? '', 'x'.repeat(PART_BYTES + 1));
  fixture.simulator.fault('hold:1:part=2');
  const upload = { partBytes: PART_BYTES, stallMs: 600_000 };
  batch = await startRows(fixture, 'shown', rows, { options: { upload } });
  await progressWhen(batch, ({ counts }) => counts.completed === 1 && counts.failed === 1);
});

describe('`uploads show` of a row while its page runs', () => {
  it('shows how far it is', async () => {
    const { exit, stdout } = await show(HELD, '--json');
    expect([exit, JSON.parse(stdout)]).toMatchObject([0, { phase: 'uploading', partsTotal: 2 }]);
  });

  it('shows that it is completed', async () => {
    const { exit, stdout } = await show(COMPLETED, '--json');
    expect([exit, JSON.parse(stdout)]).toMatchObject([0, { phase: 'completed' }]);
  });

  it('shows why it failed, with the exit code of its error', async () => {
    const shown = await until(
      'the row is written down',
      () => show(FAILED),
      ({ exit }) => exit !== 0,
    );
    expect(shown).toMatchObject({
      exit: 9,
      stdout: expect.stringMatching(/^shown-1: FAILED, ended 20/),
      stderr: expect.stringContaining('shown-1.mp4'),
    });
  });
});

describe('`uploads show` of a row after its page has ended', () => {
  beforeAll(async () => {
    on.fixture.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 2, failed: 1 });
  });

  it('shows that it is completed', async () => {
    const { exit, stdout } = await show(HELD);
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^shown-2: COMPLETED, ended 20.*media id /)]);
  });

  it('shows why it failed, with the exit code of its error', async () => {
    const { exit, stdout, stderr } = await show(FAILED, '--json');
    expect([exit, JSON.parse(stdout), JSON.parse(stderr)]).toMatchObject([
      9,
      { id: FAILED, status: 'FAILED', error: { code: 'SourceMissing' } },
      { error: { code: 'SourceMissing', exitCode: 9 } },
    ]);
  });

  it('refuses a row that the batch does not have', async () => {
    expect((await show('shown-9')).exit).toBe(5);
  });
});
