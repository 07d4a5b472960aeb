import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { createTempDir } from '../../../../../support/temp-dir';
import type { TempDir } from '../../../../../support/temp-dir';

interface LockProcess {
  readonly child: ChildProcess;
  /** Its next message. */
  next(): Promise<unknown>;
}

let program: TempDir;
let dir: TempDir;
let started: ChildProcess[];
beforeAll(async () => {
  program = await createTempDir('lock-program');
  await build({
    entryPoints: [path.join(__dirname, '../../../../../support/lock-entry.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: path.join(program.path, 'lock.js'),
  });
});
afterAll(() => program.remove());
beforeEach(async () => {
  dir = await createTempDir('lock');
  started = [];
});
afterEach(async () => {
  for (const child of started) await ended(child);
  await dir.remove();
});

function start(haste = 1): LockProcess {
  const args = [path.join(program.path, 'lock.js'), path.join(dir.path, 'upload'), String(haste)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async next() {
      const { value } = (await lines.next()) as IteratorResult<string, undefined>;
      return JSON.parse(value ?? 'null') as unknown;
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('only one of two processes holds the lock of an ingest key, the other learns which; it is free after that one ended', async () => {
  const both = [start(), start()];
  const said = await Promise.all(both.map((one) => one.next()));
  const at = said.findIndex((one) => JSON.stringify(one) === '{"held":true}');
  const [holder, other] = [both[at], said[1 - at]];
  expect(other).toEqual({
    refused: `another execution uploads under this ingest key right now (process ${holder?.child.pid} on here)`,
  });
  holder?.child.stdin?.end();
  expect(await holder?.next()).toEqual({ released: true });
  expect(await readdir(dir.path)).toEqual([]);
});

test('the lock of a killed process goes to one of the next two at once', async () => {
  const first = start();
  expect(await first.next()).toEqual({ held: true });
  await ended(first.child);
  const said = await Promise.all([start(), start()].map((one) => one.next()));
  expect(said).toContainEqual({ held: true });
  expect(said).toContainEqual({ refused: expect.stringContaining('another execution uploads') });
  // A killed process leaves only its lock, and no partial file.
  expect((await readdir(dir.path)).every((name) => name.endsWith('.lock'))).toBe(true);
});

test('if two processes wait for the lock of another machine, only one takes over and keeps it', async () => {
  const token = { token: 'left', pid: 1, numbers: 'of another machine', host: 'there' };
  await writeFile(path.join(dir.path, 'upload.lock'), JSON.stringify(token));
  const both = [start(50), start(50)];
  const said = await Promise.all(both.map((one) => one.next()));
  expect(said).toContainEqual({ held: true });
  expect(said).toContainEqual({ refused: expect.stringContaining('another execution uploads') });
  expect(JSON.stringify(said)).not.toContain('on there');
});
