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
  await save(ONE, []);
  await save(TWO, ['old-patch']);
  await code("if (patched('old-patch')) await sleep(1);");
  await keepSums(ONE, TWO);
});

/** A history that reached these patches, as Temporal marks them. */
function historyText(patches: readonly string[]): string {
  const marker = (id: string): object => {
    const data = Buffer.from(JSON.stringify({ id, deprecated: false })).toString('base64');
    return {
      eventType: 'EVENT_TYPE_MARKER_RECORDED',
      markerRecordedEventAttributes: {
        markerName: 'core_patch',
        details: { 'patch-data': { payloads: [{ data }] } },
      },
    };
  };
  return JSON.stringify({
    events: [{ eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED' }, ...patches.map(marker)],
  });
}

const texts = new Map<string, string>();
async function write(name: string, text: string): Promise<void> {
  const path = join(dir.path, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
async function save(name: string, patches: readonly string[]): Promise<void> {
  texts.set(name, historyText(patches));
  await write(`test/histories/${name}`, historyText(patches));
}
const code = (text: string): Promise<void> => write('temporal/workflows/upload-media.ts', text);
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

test('unchanged histories, and patches that they reach, give no finding', async () => {
  expect(await check()).toEqual({ code: 0, findings: [] });
});

describe('the check names and refuses', () => {
  const refuses = async (finding: string): Promise<void> =>
    expect(await check()).toEqual({ code: 1, findings: [finding] });
  const at = (name: string): string => `test/histories/${name}`;

  test('a history that was changed', async () => {
    await save(ONE, ['old-patch']);
    await refuses(`${at(ONE)}: differs from SHA256SUMS.`);
  });

  test('a missing history', async () => {
    await rm(join(dir.path, at(ONE)));
    await refuses(`${at(ONE)}: is missing; SHA256SUMS has it.`);
  });

  test('a history that was not recorded by the command', async () => {
    await save('0.1.0/three.json', []);
    await refuses(`${at('0.1.0/three.json')}: is not in SHA256SUMS.`);
  });

  test('a history of a release, even if its sum was changed as well', async () => {
    release('v0.1.0');
    await save(ONE, ['old-patch']);
    await keepSums(ONE, TWO);
    await refuses(`${at(ONE)}: differs from the release v0.1.0.`);
  });

  test('a patch that no history reached', async () => {
    await code("if (patched('old-patch')) await sleep(1);\nif (patched('new-patch')) await sleep(1);");
    await refuses(
      'temporal/workflows/upload-media.ts: no saved history reached the patch "new-patch": record one that does.',
    );
  });

  test('a patch that was removed', async () => {
    await code('await sleep(1);');
    await refuses(`${at(TWO)}: its patch "old-patch" is gone from temporal, so it can't be replayed.`);
  });

  test("a patch whose name can't be read", async () => {
    await code("patched('old-patch'); patched(NAME);");
    await refuses('temporal/workflows/upload-media.ts: name each patch by a text in the call itself.');
  });
});

test('a release can grow: histories of a later version are accepted beside those of the release', async () => {
  release('v0.1.0');
  await save('0.2.0/one.json', []);
  await keepSums(ONE, TWO, '0.2.0/one.json');
  expect(await check()).toEqual({ code: 0, findings: [] });
});
