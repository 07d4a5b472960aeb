import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../support/free-port';
import { useTempDir } from '../support/use-temp-dir';
import { toolPath } from '../support/tool-path';

const cache = useTempDir('npm-temporal', 'test');

it('the server of `npm run temporal` has a file for its port, and ends with its script', async () => {
  const folder = join(cache.path, 'n8n-nodes-media-service');
  await mkdir(folder);
  await symlink(dirname(await toolPath('temporal-cli')), join(folder, 'bin'));
  const port = String(await freePort());
  const ports = ['--port', port, '--ui-port', String(await freePort())];
  const script = spawn(process.execPath, ['tools/temporal.mjs', ...ports], {
    cwd: resolve(__dirname, '..', '..'),
    env: { ...process.env, XDG_CACHE_HOME: cache.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  script.stderr.resume();
  const lines: string[] = [];
  for await (const line of createInterface({ input: script.stdout })) {
    lines.push(line);
    if (line.startsWith('Server:')) break;
  }
  // A second server has another port, and must not open the same file.
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^Data: .*temporal-${port}\\.db `)));
  // The server keeps stderr open while it runs.
  const closed = once(script, 'close');
  script.kill('SIGTERM');
  await expect(closed).resolves.toHaveLength(2);
});
