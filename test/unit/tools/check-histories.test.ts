import { beforeEach, describe, expect, test } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from '../../support/pack';
import { useTempDir } from '../../support/use-temp-dir';

const ONE = '0.1.0/one.json';
const TWO = '0.1.0/two.json';

const dir = useTempDir('histories', 'test');
beforeEach(async () => {
  await save(ONE, 'started');
  await save(TWO, 'ended');
  await keepSums(ONE, TWO);
});

const texts = new Map<string, string>();
async function write(name: string, text: string): Promise<void> {
  const path = join(dir.path, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
async function save(name: string, text: string): Promise<void> {
  texts.set(name, text);
  await write(`test/histories/${name}`, text);
}
function keepSums(...names: readonly string[]): Promise<void> {
  const sum = (name: string): string =>
    createHash('sha256')
      .update(texts.get(name) ?? '')
      .digest('hex');
  return write('test/histories/SHA256SUMS', names.map((name) => `${sum(name)}  ${name}\n`).join(''));
}

function release(tag: string): void {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  for (const words of [
    ['init', '-q'],
    ['add', '--all'],
    ['commit', '-q', '-m', 'Release'],
    ['tag', tag],
  ])
    execFileSync('git', [...who, ...words], { cwd: dir.path });
}

async function check(): Promise<{ code: number; findings: readonly string[] }> {
  const script = join(ROOT, 'tools', 'checks', 'check-histories.mjs');
  return await new Promise((done) => {
    execFile(process.execPath, [script, dir.path], (error, _stdout, stderr) =>
      done({
        code: error === null ? 0 : Number(error.code),
        findings: stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Histories never')),
      }),
    );
  });
}

test('unchanged histories give no finding', async () => {
  expect(await check()).toEqual({ code: 0, findings: [] });
});

describe('the check names and refuses', () => {
  const refuses = async (finding: string): Promise<void> =>
    expect(await check()).toEqual({ code: 1, findings: [finding] });
  const at = (name: string): string => `test/histories/${name}`;

  test('a history that was changed', async () => {
    await save(ONE, 'changed');
    await refuses(`${at(ONE)}: differs from SHA256SUMS.`);
  });

  test('a missing history', async () => {
    await rm(join(dir.path, at(ONE)));
    await refuses(`${at(ONE)}: is missing; SHA256SUMS has it.`);
  });

  test('a history that was not recorded by the command', async () => {
    await save('0.1.0/three.json', 'new');
    await refuses(`${at('0.1.0/three.json')}: is not in SHA256SUMS.`);
  });

  test('a history of a release, even if its sum was changed as well', async () => {
    release('v0.1.0');
    await save(ONE, 'changed');
    await keepSums(ONE, TWO);
    await refuses(`${at(ONE)}: differs from the release v0.1.0.`);
  });
});

test('a release can grow: histories of a later version are accepted beside those of the release', async () => {
  release('v0.1.0');
  await save('0.2.0/one.json', 'new');
  await keepSums(ONE, TWO, '0.2.0/one.json');
  expect(await check()).toEqual({ code: 0, findings: [] });
});
