import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createUndiciTransport } from '../../../../../api/transport/undici-transport';
import { planFailureReport } from '../../../../../temporal/activities/reports/plan-failure-report';
import type { ReportSchedule } from '../../../../../temporal/contract/failure-report';
import type { PeriodPlan } from '../../../../../temporal/schedules/plan-periods';
import { useTempDir } from '../../../../support/use-temp-dir';
import { accountId, exampleDeps } from '../example-deps';

const transport = createUndiciTransport();
const temp = useTempDir('report-state');
afterAll(() => transport.close());

function scheduleWith(path: string): ReportSchedule {
  return {
    id: 'morning',
    zone: 'UTC',
    timing: { every: '1d' },
    times: 'every day at 07:00',
    interval: { days: 1 },
    lagMs: 0,
    overlapMs: 0,
    scope: {},
    targets: [{ kind: 'mail', key: 'mail:ops@example.org', address: 'ops@example.org' }],
    state: { kind: 'path', path },
    onEmpty: 'send',
    deliveryLimitMs: 1_000,
  };
}

function plan(path: string, kind: 'next' | 'test'): Promise<PeriodPlan> {
  const deps = exampleDeps(transport, { outputRoots: [temp.path] });
  const input = { accountId, schedule: scheduleWith(path), run: { kind } as const };
  return new MockActivityEnvironment({ heartbeatTimeoutMs: 20_000 }).run(planFailureReport(deps), input);
}

describe('the plan of a report', () => {
  it('for a test does not change the state file, since another run may write it at the same time', async () => {
    const file = join(temp.path, 'state.json');
    const cursor = {
      since: '2026-11-01T00:00:00.000Z',
      deliveredTo: '2026-11-20T00:00:00.000Z',
      seen: { groups: [], complete: true },
      targets: ['mail:ops@example.org'],
    };
    const text = JSON.stringify({ schema: 1, schedule: 'morning', accountId, cursors: [cursor] });
    await writeFile(file, text);
    await plan(file, 'test');
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(await readdir(temp.path)).toEqual(['state.json']);
  });

  it('for the first regular run records where the targets begin', async () => {
    const file = join(temp.path, 'first.json');
    await plan(file, 'next');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      cursors: [{ targets: ['mail:ops@example.org'] }],
    });
  });

  it('rejects before anything is sent if the state could not be written later', async () => {
    const file = join(temp.path, 'blocked');
    await writeFile(file, 'a file where the folder should be');
    await expect(plan(join(file, 'state.json'), 'test')).rejects.toMatchObject({ type: 'OutputFailed' });
  });
});
