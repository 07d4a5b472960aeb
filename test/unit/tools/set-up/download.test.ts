import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { createTempDir } from '../../../support/temp-dir';

const TOOLS = resolve(__dirname, '..', '..', '..', '..', 'tools');
const execute = promisify(execFile);

/** Downloads a program that a server offers, with this checksum or the right one. Returns what it holds. */
async function download(sha256?: string): Promise<{ readonly content: string; readonly said: string }> {
  const dir = await createTempDir('download');
  await mkdir(join(dir.path, 'server_1.0'));
  await writeFile(join(dir.path, 'server_1.0', 'server'), 'a program', { mode: 0o755 });
  await execute('tar', ['-czf', 'server.tar.gz', 'server_1.0/server'], { cwd: dir.path });
  const archive = await readFile(join(dir.path, 'server.tar.gz'));
  const server = createServer((request, response) =>
    response.writeHead(request.url === '/1.0.tar.gz' ? 200 : 404).end(archive),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const sum = sha256 ?? createHash('sha256').update(archive).digest('hex');
  const release = {
    version: '1.0',
    address: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/{kind}.tar.gz`,
    program: 'server_{kind}/server',
    kinds: { [`${process.platform}-${process.arch}`]: ['1.0', sum] },
  };
  const code = `
    import { readFile } from 'node:fs/promises';
    import { downloaded } from ${JSON.stringify(`${TOOLS}/set-up/download.mjs`)};
    const path = await downloaded('server', { server: ${JSON.stringify(release)} });
    console.log(path === undefined ? 'nothing' : await readFile(path, 'utf8'));`;
  const env = { ...process.env, XDG_CACHE_HOME: join(dir.path, 'cache') };
  try {
    const args = ['--input-type=module', '-e', code];
    const { stdout, stderr } = await execute(process.execPath, args, { env });
    return { content: stdout.trim(), said: stderr };
  } finally {
    server.close();
    await dir.remove();
  }
}

test('a released program is downloaded if it has the expected checksum', async () => {
  expect((await download()).content).toBe('a program');
});

test('a program with another checksum is not used, and Go must build it', async () => {
  const { content, said } = await download('0'.repeat(64));
  expect(content).toBe('nothing');
  expect(said).toMatch(
    /server 1\.0 could not be downloaded \(its SHA-256 is [0-9a-f]{64} instead of 0{64}\), so Go must build it/,
  );
});

test.each([
  ['temporal-cli', 'github.com/temporalio/cli'],
  ['versitygw', 'github.com/versity/versitygw'],
])('%s is released in the version that Go builds', async (name, module) => {
  const { stdout } = await execute(process.execPath, [
    '--input-type=module',
    '-e',
    `import { RELEASES } from ${JSON.stringify(`${TOOLS}/set-up/download.mjs`)};
     console.log(RELEASES[${JSON.stringify(name)}].version);`,
  ]);
  expect(await readFile(join(TOOLS, name, 'go.mod'), 'utf8')).toContain(`${module} v${stdout.trim()} `);
});
