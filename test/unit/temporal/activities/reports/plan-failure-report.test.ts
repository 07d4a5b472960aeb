import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { planFailureReport } from '../../../../../temporal/activities/reports/plan-failure-report';
import type { PeriodPlan } from '../../../../../temporal/schedules/plan-periods';
import { useTempDir } from '../../../../support/use-temp-dir';
import { MORNING } from '../../morning-schedule';
import { accountId, exampleDeps } from '../example-deps';
import { runActivity } from '../run-activity';

const temp = useTempDir('report-state');

const TARGET = { kind: 'mail', key: 'mail:ops@example.org', address: 'ops@example.org' } as const;

function plan(path: string, kind: 'next' | 'test'): Promise<PeriodPlan> {
  const deps = exampleDeps(undefined, { outputRoots: [temp.path] });
  const schedule = { ...MORNING, targets: [TARGET], state: { kind: 'path', path } as const };
  const input = { accountId, schedule, run: { kind } as const };
  return runActivity(planFailureReport(deps), input);
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
