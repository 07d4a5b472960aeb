import { expect, test } from '@jest/globals';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT, npm } from '../support/pack';
import { createTempDir } from '../support/temp-dir';

const CASES = [
  { what: 'from a clone, whatever its flags', flags: ['--provenance=false'], reason: /EPRIVATE/ },
  { what: 'without a provenance statement', isPublic: true, reason: /EUSAGE[^]*provenance/ },
];

test.each(['.', join('packages', 'media-service')].flatMap((at) => CASES.map((one) => ({ at, ...one }))))(
  'npm publish of $at is refused $what, before anything is sent',
  async ({ at, flags = [], isPublic, reason }) => {
    const requests: string[] = [];
    const registry = createServer((request, response) => {
      requests.push(request.method ?? '');
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    const dir = await createTempDir('publish');
    try {
      await copyFile(join(ROOT, at, 'package.json'), join(dir.path, 'package.json'));
      await copyFile(join(ROOT, '.npmrc'), join(dir.path, '.npmrc'));
      if (isPublic) await npm(['pkg', 'delete', 'private'], dir.path);
      const { port } = registry.address() as AddressInfo;
      const host = `127.0.0.1:${port}/`;
      const registryFlags = [`--registry=http://${host}`, `--//${host}:_authToken=none`, '--fetch-retries=0'];
      await expect(npm(['publish', ...registryFlags, ...flags], dir.path)).rejects.toThrow(reason);
      expect(requests.filter((method) => method !== 'GET')).toEqual([]);
    } finally {
      registry.close();
      await dir.remove();
    }
  },
);

test('npm pack without dist fails and makes no package, and with dist packs no earlier package', async () => {
  const dir = await createTempDir('pack');
  try {
    for (const name of ['package.json', '.npmrc']) await copyFile(join(ROOT, name), join(dir.path, name));
    await expect(npm(['pack'], dir.path)).rejects.toThrow(/ENOENT[^]*dist/);
    expect((await readdir(dir.path)).sort()).toEqual(['.npmrc', 'package.json']);

    await mkdir(join(dir.path, 'dist'));
    await npm(['pack'], dir.path);
    const { stdout } = await npm(['pack', '--json'], dir.path);
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    expect(files.map(({ path }) => path)).toEqual(['package.json']);
  } finally {
    await dir.remove();
  }
});
