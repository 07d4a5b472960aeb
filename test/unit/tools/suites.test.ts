import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const SUITES = resolve(__dirname, '..', '..', '..', 'tools', 'suites.mjs');

async function limitOf(suite: string, variables: Readonly<Record<string, string>>): Promise<number> {
  const code = `import { limitMinutesOf } from ${JSON.stringify(SUITES)}; console.log(limitMinutesOf(${JSON.stringify(suite)}));`;
  const { CHAOS_MINUTES: _own, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...env, ...variables },
  });
  return Number(stdout);
}

test('more time for the seeded chaos is added to its limit, and other suites have their own', async () => {
  expect(await limitOf('chaos', {})).toBe(75);
  expect(await limitOf('chaos', { CHAOS_MINUTES: '1' })).toBe(75);
  expect(await limitOf('chaos', { CHAOS_MINUTES: '120' })).toBe(75 + 110);
  expect(await limitOf('unit', { CHAOS_MINUTES: '120' })).toBe(30);
});

test('a time that is not a number leaves the limit unchanged', async () => {
  for (const minutes of ['', 'many', '-3'])
    expect(await limitOf('chaos', { CHAOS_MINUTES: minutes })).toBe(75);
});
