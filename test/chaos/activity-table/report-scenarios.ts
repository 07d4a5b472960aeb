import { join } from 'node:path';
import { runSchedule } from '../../../temporal/schedules/run-report';
import type { ReportFixture } from '../../support/report-fixture';
import type { Evidence, Scenario } from './cell';

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
      const state = join(fixture.folder, 'state.json');
      await reports.create({ id: ID, zone: 'UTC', targets, state, heartbeatMs: 3_000 });
      const run = await runSchedule(fixture.connection, { accountId: fixture.accountId, id: ID });
      return {
        handle: { result: () => (fails ? refusalOf(run.result()) : run.result()) },
        async evidence(reported) {
          const subjects = await arrivedOnce(reports, fails);
          return evidenceOf(reports, run.workflowId, [reported, subjects]);
        },
      };
    },
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

/** A message that is sent again because its answer was lost has the name of the first one. */
async function arrivedOnce({ hook, mail, files }: ReportFixture, fails: boolean): Promise<string[]> {
  const posts = hook.posts.map(({ headers, verified }) => `${String(headers['webhook-id'])} ${verified}`);
  const mails = mail.mails.map(({ messageId, subject }) => `${messageId ?? ''} ${subject ?? ''}`);
  // A worker that is killed during a write leaves its unfinished file under another name.
  const written = (await files('reports')).filter((name) => !name.endsWith('.partial'));
  const names = { posts: new Set(posts), mails: new Set(mails), written };
  const wanted = { posts: fails ? 2 : 1, mails: fails ? 0 : 1 };
  const isOnce = names.posts.size === wanted.posts && names.mails.size === wanted.mails;
  const isVerified = posts.every((post) => post.endsWith('true'));
  // The report is two files. A third file says that another target failed.
  const failed = written.filter((name) => name.includes('FAILED')).length;
  if (!isOnce || !isVerified || failed !== (fails ? 1 : 0) || written.length < 2)
    throw new Error(`Reports did not arrive once each: ${JSON.stringify({ posts, mails, written })}`);
  return [...names.posts, ...names.mails, ...written];
}

async function evidenceOf(reports: ReportFixture, workflowId: string, reported: unknown): Promise<Evidence> {
  const state = await reports.read('state.json');
  return {
    workflowIds: [workflowId],
    files: new Map(),
    reported: [reported, state],
    folders: [join(reports.fixture.folder, 'reports')],
  };
}

export const REPORT = report();
export const FAILING_REPORT = report({ fails: true });
