import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ROOT } from '../support/pack';
import { LONG_LIMIT_MS, until } from '../support/until';
import { useTempDir } from '../support/use-temp-dir';

const execute = promisify(execFile);
const temp = useTempDir('demo-test', 'test');

test('the demo ends with identical bytes after a killed worker, and leaves no processes or files', async () => {
  const { TEMPORAL_ADDRESS: _own, ...env } = process.env;
  const options = { cwd: ROOT, env: { ...env, TMPDIR: temp.path }, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await execute(process.execPath, [join('tools', 'demo.mjs')], options);
  expect(stdout).toMatch(/kill -9 \d+: the worker dies in the middle of part 5/);
  expect(stdout).toContain('the service saw one session, now COMPLETED, and `complete` once');
  expect(stdout).toMatch(/\d+ of 15 parts were stored once and stayed/);
  expect(stdout).toMatch(/sent again after the kill: part .*5/);
  expect(stdout).toContain('file and object in storage are identical');
  expect(await readdir(temp.path)).toEqual([]);
  expect(await processesIn(temp.path)).toEqual([]);
});

test('one Ctrl-C that arrives twice, as npx sends it, ends the demo cleanly', async () => {
  const { TEMPORAL_ADDRESS: _own, ...env } = process.env;
  const options = { cwd: ROOT, env: { ...env, TMPDIR: temp.path } };
  const demo = spawn(process.execPath, [join('tools', 'demo.mjs')], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(demo, 'exit');
  for await (const line of createInterface({ input: demo.stdout }))
    if (line.includes('a worker polls')) break;
  const all = (await processesIn(temp.path)).length;
  demo.kill('SIGINT');
  // The first one is running: the worker has ended, the servers have not.
  await until(
    'a process of the demo has ended',
    async () => demo.exitCode !== null || (await processesIn(temp.path)).length < all,
    Boolean,
    { limitMs: LONG_LIMIT_MS },
  );
  demo.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(await readdir(temp.path)).toEqual([]);
  expect(await processesIn(temp.path)).toEqual([]);
});

/** Processes whose temporary files are in `folder`, if the system lists them (Linux). */
async function processesIn(folder: string): Promise<string[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    ids.map((id) => readFile(join('/proc', id, 'environ'), 'utf8').catch(() => '')),
  );
  return ids.filter((_id, index) => environments[index]?.includes(`TMPDIR=${folder}`));
}
