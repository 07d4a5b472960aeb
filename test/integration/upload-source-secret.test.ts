import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { HttpSource } from '../../api/upload/sources/source';
import { secretsIn } from '../support/canary';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** Serves ranges of a file to whoever sends the token. Returns `host:port`. */
async function serveBehindLogin(path: string): Promise<string> {
  const { size } = await stat(path);
  const server = createServer(({ headers }, response) => {
    if (headers['x-token'] !== 'source-token-canary') {
      response.writeHead(401).end();
      return;
    }
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const [start, end] = [Number(first), Number(last)];
    response.writeHead(206, {
      'content-length': end - start + 1,
      'content-range': `bytes ${String(start)}-${String(end)}/${String(size)}`,
      etag: '"v1"',
    });
    createReadStream(path, { start, end }).pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

describe('a source that needs a login', () => {
  it('is uploaded with the headers of its secret, and Temporal stores only the name of the secret', async () => {
    const { fixture } = on;
    const file = await fixture.writeFile('film.mp4', 2);
    const host = await serveBehindLogin(file.path);
    const secrets = join(fixture.folder, 'secrets.json');
    const cdn = { hosts: [host], headers: { 'X-Token': 'source-token-canary' } };
    await writeFile(secrets, JSON.stringify({ cdn }));
    const stop = await fixture.startWorker({ secrets });
    const source: HttpSource = {
      kind: 'http',
      url: `http://${host}/film.mp4`,
      label: '',
      headersSecret: 'cdn',
    };
    const handle = await fixture.start('', { source });
    const result = await handle.result();
    expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(file.sha256);
    const history = readableTexts(await recordedHistory(fixture.connection, handle.workflowId));
    expect(history).toContain('headersSecret');
    expect(secretsIn(history, ['source-token-canary'])).toEqual([]);
    await stop();
  });

  it('ends before a session is started if it has no secret, with the advice to name one', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker();
    const file = await fixture.writeFile('closed.mp4', 1);
    const { starts } = fixture.simulator.seen();
    const url = `http://${await serveBehindLogin(file.path)}/closed.mp4`;
    const handle = await fixture.start('', { source: { kind: 'http', url, label: '' } });
    await expect(handle.result()).rejects.toMatchObject({
      code: 'SourceMissing',
      message: expect.stringContaining('answered 401'),
      facts: { remedy: expect.objectContaining({ kind: 'give-source-headers' }) },
    });
    expect(fixture.simulator.seen().starts).toBe(starts);
    await stop();
  });
});
