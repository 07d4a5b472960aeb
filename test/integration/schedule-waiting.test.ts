import { describe, expect, it } from '@jest/globals';
import { runSchedule } from '../../temporal/schedules/run-report';
import { showSchedule, type LastRun } from '../../temporal/schedules/show-schedule';
import { commandEnv, runCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { useReportFixture } from '../support/report-fixture';
import { until } from '../support/until';

const at = useReportFixture({ worker: false });
const nameOf = (id: string): { accountId: string; id: string } => ({
  accountId: at.on.fixture.accountId,
  id,
});

async function waitingRun(id: string): Promise<LastRun> {
  const { lastRun } = await until(
    'the last run says what it waits for',
    () => showSchedule(at.on.fixture.connection, nameOf(id)),
    (shown) => shown.lastRun?.waitReason !== undefined,
  );
  if (lastRun === undefined) throw new Error('The schedule has no run.');
  return lastRun;
}

describe("the run of a schedule whose state is in an S3 that can't be reached", () => {
  it('says so and what to do while it runs', async () => {
    const { on } = at;
    const { fixture } = on;
    const endpoint = `http://127.0.0.1:${String(await freePort())}`;
    const stop = await on.startWorker({ s3: { endpoint, region: 'eu-north-1' } });
    await on.create({ id: 'away', targets: [`file:${fixture.folder}/away`], state: 's3://nobody/away.json' });
    const handle = await runSchedule(fixture.connection, nameOf('away'));
    const obstacle = {
      code: 'Transport',
      message: expect.stringContaining(`S3 at ${endpoint} can't be reached`),
      remedy: expect.objectContaining({ kind: 'set-s3-address' }),
    };
    expect(await waitingRun('away')).toMatchObject({ status: 'running', waitReason: obstacle });
    expect(await handle.waitReason()).toMatchObject(obstacle);
    const env = commandEnv(fixture);
    const shown = await runCommand(['schedule', 'show', 'away'], { cwd: fixture.folder, env });
    expect(shown.stdout).toMatch(/\n {2}running since .*\n {4}Retrying: S3 at .*\n {4}What/);
    await fixture.connection.client.workflow.getHandle(handle.workflowId).terminate();
    expect(await handle.waitReason()).toBeUndefined();
    await stop();
  });
});
