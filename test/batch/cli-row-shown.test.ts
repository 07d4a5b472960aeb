import { rm, writeFile } from 'node:fs/promises';
import { beforeAll, expect, it } from '@jest/globals';
import { rowWorkflowId } from '../../temporal/batch/ids';
import type { BatchHandle } from '../../temporal/batch/client/open-batch';
import { progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { commandEnv, runCommand } from '../support/command';
import type { CommandEnd } from '../support/command';
import { PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const HELD = 'shown-2';
let batch: BatchHandle;

function show(rowId: string, ...flags: readonly string[]): Promise<CommandEnd> {
  const { fixture } = on;
  const workflowId = rowWorkflowId(fixture.accountId, 'shown', rowId);
  const where = { cwd: fixture.folder, env: commandEnv(fixture) };
  return runCommand(['uploads', 'show', workflowId, ...flags], where);
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

it('`uploads show` says how far a row is while its page runs, and refuses a row that has ended', async () => {
  const shown = await show(HELD, '--json');
  expect([shown.exit, JSON.parse(shown.stdout)]).toMatchObject([0, { phase: 'uploading', partsTotal: 2 }]);
  on.fixture.simulator.release();
  expect((await batch.result()).counts).toMatchObject({ completed: 2, failed: 1 });
  expect(await show(HELD)).toMatchObject({ exit: 5, stdout: '' });
});
