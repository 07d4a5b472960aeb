import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { runSchedule } from '../../temporal/schedules/run-report';
import { showSchedule, type LastRun } from '../../temporal/schedules/show-schedule';
import { commandEnv, buildCommand, runCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { useReportBed } from '../support/report-bed';

const at = useReportBed({ worker: false });
const nameOf = (id: string): { accountId: string; id: string } => ({ accountId: at.on.bed.accountId, id });
beforeAll(buildCommand);

async function heldUpRun(id: string): Promise<LastRun> {
  for (;;) {
    const { lastRun } = await showSchedule(at.on.bed.connection, nameOf(id));
    if (lastRun?.heldUpBy !== undefined) return lastRun;
    await setTimeout(100);
  }
}

describe('the run of a schedule whose state lies in an S3 that nobody reaches', () => {
  it('says so and what to do while it is at work', async () => {
    const { on } = at;
    const { bed } = on;
    const endpoint = `http://127.0.0.1:${String(await freePort())}`;
    const stop = await on.startWorker({ s3: { endpoint, region: 'eu-north-1' } });
    await on.create({ id: 'away', targets: [`file:${bed.folder}/away`], state: 's3://nobody/away.json' });
    const handle = await runSchedule(bed.connection, nameOf('away'));
    const obstacle = {
      code: 'Transport',
      message: expect.stringContaining(`S3 at ${endpoint} cannot be reached`),
      hint: expect.stringContaining('MEDIA_SERVICE_S3_ENDPOINT'),
    };
    expect(await heldUpRun('away')).toMatchObject({ status: 'running', heldUpBy: obstacle });
    expect(await handle.heldUpBy()).toMatchObject(obstacle);
    const env = commandEnv(bed);
    const shown = await runCommand(['schedule', 'show', 'away'], { cwd: bed.folder, env });
    expect(shown.stdout).toMatch(/\n {2}running since .*\n {4}Retrying: S3 at .*\n {4}What/);
    await bed.connection.client.workflow.getHandle(handle.workflowId).terminate();
    expect(await handle.heldUpBy()).toBeUndefined();
    await stop();
  });
});
