import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const ROOT = resolve(__dirname, '..', '..', '..');
const BUDGET = join(ROOT, 'tools', 'ci-budget.mjs');

async function valueOf(expression: string): Promise<unknown> {
  const code = `import { chaosInTime, chaosSeconds, CHAOS_FILES } from ${JSON.stringify(BUDGET)};
    console.log(JSON.stringify(${expression}));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  return JSON.parse(stdout);
}

const FILES = [
  { file: 'table', time: 0.6, isTable: true },
  { file: 'long', time: 0.7 },
  { file: 'short', time: 0.2 },
  { file: 'seeded', time: 0.9, short: 0.3 },
];

const ALL = FILES.map(({ file }) => file);

/** What is chosen on a machine that needs 1,000 s for the suite integration. */
const inTime = (seconds: number): Promise<unknown> =>
  valueOf(`chaosInTime(${String(seconds)}, 1000, ${JSON.stringify(FILES)})`);

/** What is chosen in the least time, if the suite integration needs so many seconds. */
const leastOf = async (integrationSeconds: number): Promise<{ chosen: string[]; minutes: number }> =>
  (await valueOf(`chaosInTime(chaosSeconds(3_600), ${String(integrationSeconds)})`)) as {
    chosen: string[];
    minutes: number;
  };

it.each([
  { when: 'are what is left of an hour, with two minutes to spare', elapsed: 30, left: 28 },
  { when: 'are at least twelve', elapsed: 55, left: 12 },
  { when: 'end before CI is ended after ninety', elapsed: 80, left: 4 },
])('the minutes of chaos in CI $when', async ({ elapsed, left }) => {
  expect(await valueOf(`chaosSeconds(${String(60 * elapsed)})`)).toBe(60 * left);
});

describe('the files of chaos that CI has time for', () => {
  it('are all, two at a time, with whole tables, if the machine is fast enough', async () => {
    expect(await inTime(1_200)).toEqual({ chosen: ALL, leftOut: [], share: 1, minutes: 10 });
  });

  it('are all, with a third of each table, if whole tables take too long', async () => {
    expect(await inTime(1_190)).toEqual({ chosen: ALL, leftOut: [], share: 3, minutes: 10 });
  });

  it('are all, with a short seeded chaos too, if a third of each table is not enough', async () => {
    expect(await inTime(990)).toEqual({ chosen: ALL, leftOut: [], share: 3, minutes: 3 });
  });

  it('are the first ones, and shorter ones that still end in time', async () => {
    const chosen = ['table', 'short', 'seeded'];
    expect(await inTime(690)).toEqual({ chosen, leftOut: ['long'], share: 3, minutes: 3 });
  });

  it('are none if no time is left', async () => {
    expect(await inTime(-10)).toEqual({ chosen: [], leftOut: ALL, share: 3, minutes: 3 });
  });

  it('contain the seeded chaos, and some of a table, even in the least time on a slow machine', async () => {
    const { chosen, minutes } = await leastOf(25 * 60);
    expect(chosen.slice(0, 2)).toEqual([
      'test/chaos/activity-table/worker-killed.test.ts',
      'test/chaos/seeded/seeded-chaos.test.ts',
    ]);
    expect(minutes).toBe(3);
  });

  it('are chosen from every file of the suite', async () => {
    const names = await readdir(join(ROOT, 'test', 'chaos'), { recursive: true });
    const files = names.filter((name) => name.endsWith('.test.ts')).map((name) => `test/chaos/${name}`);
    expect(await valueOf('CHAOS_FILES.map(({ file }) => file).sort()')).toEqual(files.sort());
  });
});
