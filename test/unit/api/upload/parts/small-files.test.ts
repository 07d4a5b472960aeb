import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { md5Engine } from '../../../../../api/md5/md5-engine';
import { createUndiciTransport } from '../../../../../api/transport/undici-transport';
import { requestPart } from '../../../../../api/upload/parts/part-request';
import { openSource, pinSource } from '../../../../../api/upload/sources/read-source';
import { createTempDir, type TempDir } from '../../../../support/temp-dir';
import { readBody, serve, type LocalServer } from '../local-server';

const SMALL_BYTES = 8 * 1024;
/** From 1 kB to 1 MB, also around the size from which lanes are used. */
const SIZES = Array.from({ length: 64 }, (_, index) =>
  index < 3 ? SMALL_BYTES - 1 + index : Math.round(1_000 * 1_000 ** (index / 63)),
);

const transport = createUndiciTransport();
let dir: TempDir;
let server: LocalServer;
beforeAll(async () => {
  dir = await createTempDir('small');
  server = await serve((request, response) => {
    void readBody(request).then((body) => {
      response.writeHead(200, { etag: createHash('md5').update(body).digest('hex') }).end();
    });
  });
});
afterAll(async () => {
  await transport.close();
  await server.close();
  await dir.remove();
});

it('64 files of 1 kB to 1 MB that are sent at once are hashed in lanes from 8 KiB on, and all are verified', async () => {
  expect((await md5Engine.report()).engine).toBe('lanes');
  const folder = path.join(dir.path, 'files');
  await mkdir(folder);
  const access = { roots: [dir.path], sourceHosts: [], transport, unseal: String };
  const files = await Promise.all(
    SIZES.map(async (bytes, index) => {
      const file = path.join(folder, String(index));
      await writeFile(file, randomBytes(bytes));
      return { bytes, reader: openSource(access, await pinSource(access, { kind: 'path', path: file })) };
    }),
  );
  // So that the last file is not alone.
  const company = md5Engine.open();
  const before = md5Engine.laneDigests;
  const results = await Promise.all(
    files.map(({ bytes, reader }, index) =>
      requestPart(
        { transport, reader },
        {
          ...{ partNumber: 1, offset: 0, bytes, url: `${server.origin}/${String(index)}` },
          ...{ verifyMd5: true, minimumThroughput: 0, stallMs: 60_000 },
        },
        { onBytes: () => undefined, signal: new AbortController().signal },
      ),
    ),
  );
  company.close();
  expect(results.filter(({ verified }) => !verified)).toEqual([]);
  expect(md5Engine.laneDigests - before).toBe(SIZES.filter((bytes) => bytes >= SMALL_BYTES).length);
});
