import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const SUITES = resolve(__dirname, '..', '..', '..', 'tools', 'suites.mjs');

async function limitOf(suite: string, variables: Readonly<Record<string, string>>): Promise<number> {
  const code = `import { limitMinutesOf } from ${JSON.stringify(SUITES)}; console.log(limitMinutesOf(${JSON.stringify(suite)}));`;
  const { CHAOS_ROUNDS: _own, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...env, ...variables },
  });
  return Number(stdout);
}

test('each further round of the seeded chaos has 20 minutes, and other suites have their own limit', async () => {
  expect(await limitOf('chaos', {})).toBe(75);
  expect(await limitOf('chaos', { CHAOS_ROUNDS: '1' })).toBe(75);
  expect(await limitOf('chaos', { CHAOS_ROUNDS: '20' })).toBe(75 + 19 * 20);
  expect(await limitOf('unit', { CHAOS_ROUNDS: '20' })).toBe(30);
});

test('rounds that are no number leave the limit as it is', async () => {
  for (const rounds of ['', 'many', '-3', '0.5']) {
    expect(await limitOf('chaos', { CHAOS_ROUNDS: rounds })).toBe(75);
  }
});
