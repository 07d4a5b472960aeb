import {
  deleteSchedule,
  describeSchedule,
  listSchedules,
} from '../../temporal/reports/client/describe-schedule';
import type { WaitReason } from '../../temporal/client/wait-reason';
import { runSchedule, showSchedule } from '../../temporal/reports/client/run-report';
import { firesOf } from '../../temporal/reports/client/timing';
import { commandEnv, runCommand } from '../support/command';
import { useReportFixture } from '../support/report-fixture';
import { until } from '../support/until';

const at = useReportFixture({ worker: false });
const nameOf = (id: string): { accountId: string; id: string } => ({
  accountId: at.on.fixture.accountId,
  id,
});

async function waitReasonOf(id: string): Promise<WaitReason | undefined> {
  return (await showSchedule(at.on.fixture.connection, nameOf(id))).lastRuns.at(-1)?.waitReason;
}

describe('a schedule in Temporal', () => {
  it('holds no secret: neither a webhook address nor the content of its secrets', async () => {
    const { on } = at;
    const targets = [on.hook.url, 'mail:ops@example.org'];
    const schedule = await on.create({ id: 'sealed', targets });
    const description = await on.fixture.connection.client.schedule.getHandle(schedule.scheduleId).describe();
    const text = JSON.stringify(
      [description, description.action.args, description.memo],
      (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    );
    expect(text).toContain('"smtpSecret":"smtp"');
    expect(text).not.toMatch(/0a1b2c3d|never-shown|p@ss|p%40ss/);
  });

  it('skips its times while a run is active, and catches up with those of a week', async () => {
    const { on } = at;
    const { connection } = on.fixture;
    const schedule = await on.create({ id: 'policies', targets: [`file:${on.fixture.folder}/policies`] });
    const handle = connection.client.schedule.getHandle(schedule.scheduleId);
    const { policies } = await handle.describe();
    expect(policies).toEqual({ overlap: 'SKIP', catchupWindow: 7 * 24 * 3_600_000, pauseOnFailure: false });
    // There is no worker, so the first run never ends.
    await handle.update((previous) => ({ ...previous, spec: { intervals: [{ every: 1_000 }] } }));
    const fired = await until(
      'two times are skipped',
      () => describeSchedule(connection, nameOf('policies')),
      ({ skipped }) => skipped >= 2,
    );
    expect(fired).toMatchObject({
      runs: 1,
      running: [{ workflowId: expect.any(String), runId: expect.any(String) }],
    });
    await deleteSchedule(connection, nameOf('policies'));
  });

  it('is shown as paused if Temporal paused it, and is not listed for another account', async () => {
    const { on } = at;
    const { connection } = on.fixture;
    const targets = [`file:${on.fixture.folder}/controlled`];
    const schedule = await on.create({ id: 'controlled', targets });
    await connection.client.schedule.getHandle(schedule.scheduleId).pause('holidays');
    expect(await describeSchedule(connection, nameOf('controlled'))).toMatchObject({
      paused: true,
      note: 'holidays',
    });
    await on.listed('controlled');
    expect(await listSchedules(connection, { accountId: 'another-account' })).toEqual([]);
  });

  it('fires without a worker: the run says that it waits for one, and a worker that comes later reports', async () => {
    const { on } = at;
    await on.create({ id: 'idle', targets: [`file:${on.fixture.folder}/idle`] });
    const run = await runSchedule(on.fixture.connection, nameOf('idle'));
    expect(await waitReasonOf('idle')).toMatchObject({
      code: 'NoWorker',
      message: `No worker serves the task queue ${on.fixture.queuePrefix}.${on.fixture.accountId}.`,
    });
    const stop = await on.startWorker();
    expect(await run.result()).toMatchObject({ schedule: 'idle' });
    await stop();
  });

  it('is left to another living worker by one that may not post to its target', async () => {
    const { on } = at;
    on.setNow('2026-11-20T06:00:30Z');
    // It counts as alive for a while.
    await (
      await on.startWorker()
    )();
    const stopRefusing = await on.startWorker({ sourceHosts: [] });
    await on.create({ id: 'posted', targets: [on.hook.url] });
    const run = await runSchedule(on.fixture.connection, nameOf('posted'));
    await until(
      'a worker refuses the post',
      () => waitReasonOf('posted'),
      (reason) => reason?.code === 'SourceNotAllowed',
    );
    await stopRefusing();
    const stop = await on.startWorker();
    expect((await run.result()).targets).toMatchObject([{ outcome: 'delivered' }]);
    await stop();
  });

  it('says what its run waits for and what to do while the service is away', async () => {
    const { on } = at;
    const { fixture } = on;
    const stop = await on.startWorker();
    await on.create({ id: 'away', targets: [`file:${fixture.folder}/away`] });
    fixture.simulator.expireTokens();
    fixture.simulator.fault('login-503:always');
    const handle = await runSchedule(fixture.connection, nameOf('away'));
    const { lastRuns } = await until(
      'the last run says what it waits for',
      () => showSchedule(fixture.connection, nameOf('away')),
      // That no worker runs is remembered for 5 s, also from the test before.
      ({ lastRuns: [run] }) => run?.waitReason !== undefined && run.waitReason.code !== 'NoWorker',
    );
    const obstacle = { code: 'RateLimited', message: expect.stringContaining('503') };
    expect(lastRuns[0]).toMatchObject({ status: 'running', waitReason: obstacle });
    const env = commandEnv(fixture);
    const shown = await runCommand(['schedules', 'show', 'away'], { cwd: fixture.folder, env });
    expect(shown.stdout).toMatch(/\n {2}running since .*\n {4}Retrying: .*503/);
    fixture.simulator.clearFaults();
    await fixture.connection.client.workflow.getHandle(handle.workflowId).terminate();
    expect(await waitReasonOf('away')).toBeUndefined();
    await stop();
  });

  it.each(['0 7 13 * 5', '0 7 29 2 *', '30 2 * 3,10 0', '0 7 * * 1-5', '15 */4 1-7 * *', '0 7 * * 7'])(
    'fires at "%s" whenever the library that checks it says so',
    async (cron) => {
      const { on } = at;
      const schedule = await on.create({
        id: `${cron.replaceAll(/\W+/g, '-')}-cron`,
        timing: { cron },
        zone: 'UTC',
        targets: [`file:${on.fixture.folder}`],
      });
      const fires = await firesOf(cron, 'UTC', Date.now());
      // A run may have started between the two requests.
      const next = schedule.nextTimes.filter((time) => time >= (fires[0] ?? time));
      const both = Math.min(fires.length, next.length);
      expect(both).toBeGreaterThan(0);
      expect(next.slice(0, both)).toEqual(fires.slice(0, both));
    },
  );
});
