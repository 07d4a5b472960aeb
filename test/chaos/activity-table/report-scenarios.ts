import { join } from 'node:path';
import { reportScheduleId } from '../../../temporal/reports/types';
import { describeSchedule } from '../../../temporal/reports/client/describe-schedule';
import { runSchedule } from '../../../temporal/reports/client/run-report';
import type { ReportFixture } from '../../support/report-fixture';
import { until } from '../../support/until';
import type { Controlled, Scenario } from './cell';

const ID = 'killed';
const DAY_MS = 24 * 3_600_000;

/** Sends to a webhook, a mailbox and a folder. */
export const REPORT: Scenario = async ({ fixture, reports }) => {
  reports.deliver(new Date(Date.now() - DAY_MS).toISOString());
  const targets = [reports.hook.url, 'mail:ops@example.org', `file:${fixture.folder}/reports`];
  await reports.create({ id: ID, zone: 'UTC', targets, heartbeatMs: 3_000 });
  const workflowIds: string[] = [];
  const start = async (): Promise<Controlled> => {
    const handle = await startRun(reports);
    workflowIds.push(handle.workflowId);
    return handle;
  };
  return {
    handle: await start(),
    again: start,
    async evidence(reported) {
      const subjects = await arrivedOnce(reports, workflowIds.length);
      const folders = [join(fixture.folder, 'reports')];
      return { workflowIds, files: new Map(), reported: [reported, subjects], folders };
    },
  };
};

/** Runs the schedule. A user pauses the schedule, and cancels the run in Temporal. */
async function startRun({ fixture }: ReportFixture): Promise<Controlled> {
  const { connection, accountId } = fixture;
  const name = { accountId, id: ID };
  // A schedule knows late that its run has ended, and would join it.
  await until(
    'the schedule has no run',
    () => describeSchedule(connection, name),
    ({ running }) => running.length === 0,
  );
  const { workflowId, result } = await runSchedule(connection, name);
  const schedule = connection.client.schedule.getHandle(reportScheduleId(accountId, ID));
  return {
    workflowId,
    pause: () => schedule.pause(),
    resume: () => schedule.unpause(),
    async cancel() {
      await connection.client.workflow.getHandle(workflowId).cancel();
    },
    result: () => result(),
  };
}

/**
 * A message that is sent again because its answer was lost has the name of the first one. If a user cancelled the run,
 * nothing was lost, so that the next run sends nothing again.
 */
async function arrivedOnce({ hook, mail, files }: ReportFixture, runs: number): Promise<string[]> {
  const posts = hook.posts.map(({ headers, verified }) => `${String(headers['webhook-id'])} ${verified}`);
  const mails = mail.mails.map(({ messageId, subject }) => `${messageId ?? ''} ${subject ?? ''}`);
  // A worker that is killed during a write leaves its unfinished file under another name.
  const written = (await files('reports')).filter((name) => !name.endsWith('.partial'));
  const names = { posts: [...new Set(posts)], mails: [...new Set(mails)] };
  const arrived = runs > 1 ? { posts, mails } : names;
  const isOnce = arrived.posts.length === 1 && arrived.mails.length === 1;
  const isVerified = posts.every((post) => post.endsWith('true'));
  // The report is three files.
  if (!isOnce || !isVerified || written.length !== 3)
    throw new Error(`Reports did not arrive once each: ${JSON.stringify({ posts, mails, written })}`);
  return [...names.posts, ...names.mails, ...written];
}
