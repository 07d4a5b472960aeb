/** Records the histories of a release's scheduled reports, as `record-histories.ts` does for uploads. */
import { runSchedule } from '../../temporal/reports/client/run-report';
import { useReportFixture } from '../support/report-fixture';
import { saveHistory } from './save-history';

const at = useReportFixture();

it.each([
  ['report-delivered', ['mail:ops@example.org', 'mail:dev@example.org']],
  ['report-failed', ['mail:ops@example.org', 'mail:gone@example.org']],
])(
  'records %s',
  async (name, targets) => {
    const { fixture } = at.on;
    at.on.setNow('2026-11-21T06:00:30Z');
    at.on.deliver('2026-11-20T10:00:00Z');
    at.on.mail.refuses.set('gone@example.org', 550);
    await at.on.create({ id: name, targets });
    const run = await runSchedule(fixture.connection, { accountId: fixture.accountId, id: name });
    await run.result().catch(() => undefined);
    await saveHistory(fixture.connection, run.workflowId, name);
  },
  90_000,
);
