import { join } from 'node:path';
import { reportScheduleId } from '../../../temporal/reports/types';
import { describeSchedule } from '../../../temporal/reports/client/describe-schedule';
import { runSchedule } from '../../../temporal/reports/client/run-report';
import type { ReportFixture } from '../../support/report-fixture';
import { until } from '../../support/until';
import type { Controlled, Evidence, Scenario } from './cell';

const ID = 'killed';
const DAY_MS = 24 * 3_600_000;

/**
 * Sends to a webhook, a mailbox and a folder. `fails`: the mail server refuses the mailbox, and the other targets are
 * notified.
 */
function report({ fails = false }: { readonly fails?: boolean } = {}): Scenario {
  return {
    fixture: 'report',
    async begin({ fixture, reports }) {
      reports.deliver(new Date(Date.now() - DAY_MS).toISOString());
      if (fails) reports.mail.refuses.set('ops@example.org', 550);
      const targets = [reports.hook.url, 'mail:ops@example.org', `file:${fixture.folder}/reports`];
      await reports.create({ id: ID, zone: 'UTC', targets, heartbeatMs: 3_000 });
      const workflowIds: string[] = [];
      const start = async (): Promise<Controlled> => {
        const handle = await startRun(reports, fails);
        workflowIds.push(handle.workflowId);
        return handle;
      };
      return {
        handle: await start(),
        again: start,
        async evidence(reported) {
          const subjects = await arrivedOnce(reports, { runs: workflowIds.length, fails });
          return evidenceOf(reports, workflowIds, [reported, subjects]);
        },
      };
    },
  };
}

/** Runs the schedule. A user pauses the schedule, and cancels the run in Temporal. */
async function startRun({ fixture }: ReportFixture, fails: boolean): Promise<Controlled> {
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
    result: () => (fails ? refusalOf(result()) : result()),
  };
}

async function refusalOf(run: Promise<unknown>): Promise<unknown> {
  const ended: unknown = await run.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (ended instanceof Error && 'code' in ended && ended.code === 'RequestRefused') return ended;
  throw new Error('The run did not fail for the refused mail.', { cause: ended });
}

/**
 * A message that is sent again because its answer was lost has the name of the first one. If a user cancelled the run,
 * nothing was lost, so that the next run sends nothing again. Each failing run notifies its targets at most once, and
 * the last one does so.
 */
async function arrivedOnce(
  { hook, mail, files }: ReportFixture,
  { runs, fails }: { readonly runs: number; readonly fails: boolean },
): Promise<string[]> {
  const failingRuns = fails ? runs : 0;
  const posts = hook.posts.map(({ headers, body, verified }) =>
    [String(headers['webhook-id']), body.includes('"kind":"failed"') ? 'failed' : 'report', verified].join(
      ' ',
    ),
  );
  const mails = mail.mails.map(({ messageId, subject }) => `${messageId ?? ''} ${subject ?? ''}`);
  // A worker that is killed during a write leaves its unfinished file under another name.
  const written = (await files('reports')).filter((name) => !name.endsWith('.partial'));
  const names = { posts: new Set(posts), mails: new Set(mails), written };
  const failed = [...names.posts].filter((post) => post.includes(' failed ')).length;
  const sent = { posts: posts.filter((post) => !post.includes(' failed ')), mails };
  const arrived = runs > 1 ? sent : { posts: [...new Set(sent.posts)], mails: [...names.mails] };
  const isOnce = arrived.posts.length === 1 && arrived.mails.length === (fails ? 0 : 1);
  const isVerified = posts.every((post) => post.endsWith('true'));
  // The report is three files. Another one says that a target failed.
  const failedFiles = written.filter((name) => name.includes('FAILED')).length;
  const isNotified = [failed, failedFiles].every(
    (count) => count >= Math.min(failingRuns, 1) && count <= failingRuns,
  );
  if (!isOnce || !isVerified || !isNotified || written.length - failedFiles !== 3)
    throw new Error(`Reports did not arrive once each: ${JSON.stringify({ posts, mails, written })}`);
  return [...names.posts, ...names.mails, ...written];
}

function evidenceOf(reports: ReportFixture, workflowIds: string[], reported: unknown): Evidence {
  return {
    workflowIds,
    files: new Map(),
    reported,
    folders: [join(reports.fixture.folder, 'reports')],
  };
}

export const REPORT = report();
export const FAILING_REPORT = report({ fails: true });
