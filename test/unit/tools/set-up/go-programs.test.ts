import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterTest, tempFolder } from '../../../support/after-test';
import { listen } from '../../../support/listen';
import { printedBy } from '../printed-by';

const execute = promisify(execFile);

/** Makes a program of which a server has a release with this checksum or the right one, on a machine without Go. */
async function made(sha256?: string): Promise<string> {
  const folder = await tempFolder('go-programs');
  await mkdir(join(folder, 'server_1.0'));
  await writeFile(join(folder, 'server_1.0', 'server'), 'a program', { mode: 0o755 });
  await execute('tar', ['-czf', 'server.tar.gz', 'server_1.0/server'], { cwd: folder });
  const archive = await readFile(join(folder, 'server.tar.gz'));
  const { url, close } = await listen(
    createServer(({ url }, response) => response.writeHead(url === '/1.0.tar.gz' ? 200 : 404).end(archive)),
  );
  afterTest(close);
  const sum = sha256 ?? createHash('sha256').update(archive).digest('hex');
  const kinds = { [`${process.platform}-${process.arch}`]: ['1.0', sum] };
  const release = { address: `${url}/{kind}.tar.gz`, program: 'server_{version}/server', kinds };
  const code = `
    import { ensureProgram } from './tools/set-up/go-programs.mjs';
    console.log(await ensureProgram('server', ${JSON.stringify({ module: 'example.org/server@v1.0', release })}));`;
  await mkdir(join(folder, 'bin'));
  for (const name of ['tar', 'gzip']) {
    const { stdout } = await execute('which', [name]);
    await symlink(stdout.trim(), join(folder, 'bin', name));
  }
  const env = { PATH: join(folder, 'bin'), XDG_CACHE_HOME: join(folder, 'cache') };
  return readFile(await printedBy(code, env), 'utf8');
}

test('a released program is downloaded if it has the expected checksum', async () => {
  expect(await made()).toBe('a program');
});

test('a program with another checksum is not used, and without Go the error names both ways to get it', async () => {
  const { stderr } = (await made('0'.repeat(64)).catch((error: unknown) => error)) as { stderr: string };
  expect(stderr).toMatch(
    /could not be downloaded \(its SHA-256 is [0-9a-f]{64} instead of 0{64}\), so Go must build it/,
  );
  expect(stderr).toContain(
    'install Go 1.25 or newer (https://go.dev/dl), or allow its download from github.com',
  );
});
