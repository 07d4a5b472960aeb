import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { afterTest } from '../support/after-test';
import { buildCommand, runBuilt, startBuilt } from '../support/built-command';
import { makeIssued } from '../support/certificate';
import { commandEnv, linesOf } from '../support/command';
import { useBucket } from '../support/s3-bucket';
import { s3Env } from '../support/servers';
import { startTlsFront } from '../support/tls-front';
import { untilPolled } from '../support/until-polled';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const bucket = useBucket();

test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])(
  'a worker uploads from S3 and from a URL, both with a certificate of the company, with %s',
  async (variable) => {
    const { fixture } = on;
    const { path, sha256 } = await fixture.writeFile('film.mp4', 1.5);
    await bucket.put('film.mp4', await readFile(path));
    const { url } = await fixture.serveFile(path);
    const authority = await makeIssued('Company Root CA', ['localhost']);
    const file = join(fixture.folder, `${variable}.pem`);
    await writeFile(file, authority.ca);
    const behind = async (address: unknown): Promise<string> =>
      `https://localhost:${await startTlsFront(authority, new URL(String(address)).port)}`;
    const env = {
      ...commandEnv(fixture),
      ...s3Env(),
      MEDIA_SERVICE_OPTIONS: '{"allowPlainHttp":true}',
      MEDIA_SERVICE_SOURCE_HOSTS: 'localhost',
      MEDIA_SERVICE_S3_ENDPOINT: await behind(bucket.settings.endpoint),
      [variable]: file,
    };
    const context = { cwd: fixture.folder, env };
    await buildCommand();
    const worker = await startBuilt(['worker', '--json'], context);
    afterTest(async () => {
      worker.signal('SIGKILL');
      await worker.ended;
    });
    await worker.until('"ready":true');
    const { queues } = JSON.parse(worker.stdout()) as { queues: string[] };
    await untilPolled(fixture.connection, queues.slice(0, 1));
    const sources = [`s3://${bucket.name}/film.mp4`, `${await behind(url)}${new URL(String(url)).pathname}`];
    const ended = await runBuilt(['upload', ...sources, '--again', '--wait', '--json'], context);
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    const uploads = linesOf<{ readonly uploadId: string }>(ended);
    const stored = uploads.map(({ uploadId }) =>
      fixture.simulator.objectSha256(fixture.session(uploadId).keyName),
    );
    expect(await Promise.all(stored)).toEqual([sha256, sha256]);
    worker.signal('SIGTERM');
    expect(await worker.ended).toMatchObject({ exit: 0 });
  },
);
