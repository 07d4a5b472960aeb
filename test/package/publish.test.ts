import { expect, test } from '@jest/globals';
import { copyFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT, npm } from '../support/pack';
import { createTempDir } from '../support/temp-dir';

test('npm publish without a provenance statement is refused before anything is sent', async () => {
  const requests: string[] = [];
  const registry = createServer((request, response) => {
    requests.push(request.method ?? '');
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  const dir = await createTempDir('publish');
  try {
    await copyFile(join(ROOT, 'package.json'), join(dir.path, 'package.json'));
    await copyFile(join(ROOT, '.npmrc'), join(dir.path, '.npmrc'));
    const { port } = registry.address() as AddressInfo;
    const host = `127.0.0.1:${port}/`;
    const flags = [`--registry=http://${host}`, `--//${host}:_authToken=none`, '--fetch-retries=0'];
    await expect(npm(['publish', ...flags], dir.path)).rejects.toThrow(/EUSAGE[^]*provenance/);
    expect(requests.filter((method) => method !== 'GET')).toEqual([]);
  } finally {
    registry.close();
    await dir.remove();
  }
});
