/** Records the histories of a release's scheduled reports, as `record-histories.ts` does for uploads. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { expect, it } from '@jest/globals';
import { version } from '../../package.json';
import { runSchedule } from '../../temporal/reports/client/run-report';
import { recordedHistory } from '../support/recorded-history';
import { useReportFixture } from '../support/report-fixture';
import { HISTORIES } from '../support/saved-histories';

const ROOT = resolve(__dirname, '..', '..');
const at = useReportFixture({ mail: { refuses: { 'gone@example.org': 550 } } });

it.each([
  ['report-delivered', ['mail:ops@example.org', 'mail:dev@example.org']],
  ['report-failed', ['mail:ops@example.org', 'mail:gone@example.org']],
])(
  'records %s',
  async (name, targets) => {
    const { fixture } = at.on;
    at.on.setNow('2026-11-21T06:00:30Z');
    at.on.deliver('2026-11-20T10:00:00Z');
    await at.on.create({ id: name, targets });
    const run = await runSchedule(fixture.connection, { accountId: fixture.accountId, id: name });
    await run.result().catch(() => undefined);
    const history: unknown = JSON.parse(await recordedHistory(fixture.connection, run.workflowId));
    const folder = join(HISTORIES, version);
    await mkdir(folder, { recursive: true });
    // Stack traces contain the path of the project.
    const text = JSON.stringify(history, null, 1).replaceAll(`${ROOT}${sep}`, '');
    await writeFile(join(folder, `${name}.json`), `${text}\n`, { flag: 'wx' });
    expect(JSON.stringify(history)).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_STARTED');
  },
  90_000,
);
