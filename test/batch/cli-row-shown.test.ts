import { rm, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { rowWorkflowId } from '../../temporal/batch/ids';
import type { BatchHandle } from '../../temporal/batch/client/open-batch';
import { progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { commandEnv, runCommand } from '../support/command';
import type { CommandEnd } from '../support/command';
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

async function shownAs(rowId: string): Promise<readonly [exit: number | null, shown: unknown]> {
  const shown = await show(rowId, '--json');
  return [shown.exit, JSON.parse(shown.stdout)];
}

beforeAll(async () => {
  const { fixture } = on;
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
  it('shows how far it is, or that it is completed', async () => {
    expect(await shownAs(HELD)).toMatchObject([0, { phase: 'uploading', partsTotal: 2 }]);
    expect(await shownAs(COMPLETED)).toMatchObject([0, { status: 'COMPLETED' }]);
  });

  it('shows why it failed, with the exit code of its error', async () => {
    const shown = await until(
      'the row is written down',
      () => show(FAILED),
      ({ exit }) => exit !== 0,
    );
    expect(shown).toMatchObject({
      exit: 5,
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
    const { stderr } = await show(FAILED, '--json');
    const error = { code: 'SourceMissing' };
    expect(await shownAs(FAILED)).toMatchObject([5, { id: FAILED, status: 'FAILED', error }]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { ...error, exitCode: 5 } });
  });

  it('refuses a row that the batch does not have', async () => {
    expect((await show('shown-9')).exit).toBe(5);
  });
});
