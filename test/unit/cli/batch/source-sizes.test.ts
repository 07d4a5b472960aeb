import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceAccess } from '../../../../api/upload/sources/source-access';
import { createNamedSecrets } from '../../../../api/named-secrets';
import { createS3 } from '../../../../files/s3/s3-client';
import { createUndiciTransport } from '../../../../api/transport/undici-transport';
import { sourceSizes } from '../../../../cli/batch/source-sizes';
import { withoutRoot } from '../../../support/harsh-disk';
import { useTempDir } from '../../../support/use-temp-dir';

const temp = useTempDir('source-sizes');
let sizeOf: ReturnType<typeof sourceSizes>;
const transport = createUndiciTransport();
const s3 = createS3({});
beforeAll(async () => {
  await chmod(temp.path, 0o755);
  await mkdir(join(temp.path, 'folder'));
  await writeFile(join(temp.path, 'clip.mp4'), 'film');
  await writeFile(join(temp.path, 'closed.mp4'), 'film', { mode: 0o600 });
  const access: SourceAccess = {
    roots: [],
    sourceHosts: [],
    transport,
    s3,
    secrets: createNamedSecrets(undefined),
    unseal: String,
  };
  sizeOf = sourceSizes('paths', access, new AbortController().signal);
});
afterAll(async () => {
  s3.close();
  await transport.close();
});

test('a file has its size', async () => {
  expect(await sizeOf({ kind: 'path', path: join(temp.path, 'clip.mp4') })).toBe(4);
});

test.each([
  ['gone.mp4', 'does not exist'],
  ['folder', 'is a folder'],
  ['closed.mp4', 'may not be read by this process'],
])('%s %s', async (name, why) => {
  const path = join(temp.path, name);
  const size = withoutRoot(() => sizeOf({ kind: 'path', path }));
  await expect(size).rejects.toMatchObject({ code: 'SourceMissing', message: `${path} ${why}` });
});
