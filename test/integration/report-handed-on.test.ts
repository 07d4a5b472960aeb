import { randomBytes } from 'node:crypto';
import { connectTemporal, type TemporalConnection } from '../../temporal/client/connect';
import { runSchedule, showSchedule } from '../../temporal/reports/client/run-report';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { useReportFixture } from '../support/report-fixture';
import { sharedTemporal } from '../support/servers';
import { until } from '../support/until';

const at = useReportFixture({ worker: false });
const MAIL = 'mail:ops@example.org';
const nameOf = (id: string): { accountId: string; id: string } => ({
  accountId: at.on.fixture.accountId,
  id,
});
/** At the end of a day in Berlin. */
const endOf = (date: number): string => `2026-11-${date}T23:00:00.000Z`;

/** Resolves once the schedule knows that its run has ended. */
function untilNoneRuns(connection: TemporalConnection, id: string): Promise<unknown> {
  return until(
    `no run of ${id} is known`,
    () => showSchedule(connection, nameOf(id)),
    ({ running }) => running.length === 0,
  );
}

describe('what a scheduled run hands on to the next one', () => {
  it('outlives failed, terminated and cancelled runs, and a pause of the worker', async () => {
    const { on } = at;
    const { fixture } = on;
    const { connection } = fixture;
    on.mail.refuses.set('ops@example.org', 550);
    let stop = await on.startWorker();
    await on.create({ id: 'long', targets: [on.hook.url, MAIL, `file:${fixture.folder}/long`] });
    on.setNow('2026-11-21T06:00:30Z');
    await expect(on.run('long')).rejects.toMatchObject({ code: 'RequestRefused' });

    on.setNow('2026-11-22T06:00:30Z');
    await expect(on.run('long')).rejects.toMatchObject({ facts: { details: { targetsReached: 2 } } });
    await stop();

    const terminated = await runSchedule(connection, nameOf('long'));
    await connection.client.workflow.getHandle(terminated.workflowId).terminate();
    await expect(terminated.result()).rejects.toMatchObject({ code: 'Cancelled' });
    await untilNoneRuns(connection, 'long');
    const cancelled = await runSchedule(connection, nameOf('long'));
    await connection.client.workflow.getHandle(cancelled.workflowId).cancel();
    stop = await on.startWorker();
    await expect(cancelled.result()).rejects.toMatchObject({
      code: 'Cancelled',
      message: expect.stringContaining(`${MAIL}: the run was cancelled in Temporal`),
    });

    on.mail.refuses.clear();
    on.setNow('2026-11-23T06:00:30Z');
    expect((await on.run('long')).targets.map(({ period }) => period)).toEqual([
      { from: endOf(21), to: endOf(22) },
      { from: endOf(19), to: endOf(22) },
      { from: endOf(21), to: endOf(22) },
    ]);
    const posted = on.hook.posts.map(({ body }) => /"from":"([^"]*)","to":"([^"]*)"/.exec(body)?.slice(1));
    expect(posted).toEqual([19, 20, 21].map((day) => [endOf(day), endOf(day + 1)]));
    const { lastRuns } = await showSchedule(connection, nameOf('long'));
    const ends = lastRuns.map(({ status }) => status).join(' ');
    expect(ends).toBe('failed failed terminated failed completed');
    await stop();
  });

  it('has what arrived before a user cancelled the run, also if it is encrypted', async () => {
    const { on } = at;
    const codecKeys = `k1:${randomBytes(32).toString('base64')}`;
    const temporal = { ...sharedTemporal(), codecKeys };
    const connection = await connectTemporal(temporal);
    const stop = await on.startWorker({ temporal });
    try {
      on.setNow('2026-11-24T06:00:30Z');
      // A full mailbox is tried again.
      on.mail.refuses.set('ops@example.org', 452);
      await on.create({ id: 'cut', targets: [on.hook.url, MAIL] });
      const run = await runSchedule(connection, nameOf('cut'));
      await until(
        'the mail waits, and the post is noted',
        async () => ({
          waits: (await showSchedule(connection, nameOf('cut'))).lastRuns.at(-1)?.waitReason,
          history: readableTexts(await recordedHistory(on.fixture.connection, run.workflowId)),
        }),
        ({ waits, history }) => waits !== undefined && history.split('ACTIVITY_TASK_COMPLETED').length > 3,
      );
      await connection.client.workflow.getHandle(run.workflowId).cancel();
      const expected = { code: 'Cancelled', facts: { details: { targetsReached: 1, targetsFailed: 1 } } };
      await expect(run.result()).rejects.toMatchObject(expected);
      on.mail.refuses.clear();
      await untilNoneRuns(connection, 'cut');
      const next = await runSchedule(connection, nameOf('cut'));
      expect((await next.result()).targets).toMatchObject([
        { outcome: 'nothingDue' },
        { outcome: 'delivered' },
      ]);
      const last = await runSchedule(connection, nameOf('cut'));
      expect((await last.result()).targets.map(({ outcome }) => outcome)).toEqual([
        'nothingDue',
        'nothingDue',
      ]);
      const history = readableTexts(await recordedHistory(on.fixture.connection, last.workflowId));
      expect(history).not.toContain('deliveredTo');
    } finally {
      await Promise.all([connection.close(), stop()]);
    }
  });
});
