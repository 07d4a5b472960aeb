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
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** Gives ranges of a file to whoever shows the token; `host:port`. */
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
  it('is uploaded with the headers of its secret, of which Temporal stores the name alone', async () => {
    const { bed } = on;
    const file = await bed.writeFile('film.mp4', 2);
    const host = await serveBehindLogin(file.path);
    const secrets = join(bed.folder, 'secrets.json');
    const cdn = { hosts: [host], headers: { 'X-Token': 'source-token-canary' } };
    await writeFile(secrets, JSON.stringify({ cdn }));
    const stop = await bed.startWorker({ secrets });
    const source: HttpSource = {
      kind: 'http',
      url: `http://${host}/film.mp4`,
      label: '',
      headersSecret: 'cdn',
    };
    const handle = await bed.start('', { source });
    const result = await handle.result();
    expect(await bed.simulator.objectSha256(bed.session(result.uploadId).keyName)).toBe(file.sha256);
    const history = readableTexts(await recordedHistory(bed.connection, handle.workflowId));
    expect(history).toContain('headersSecret');
    expect(secretsIn(history, ['source-token-canary'])).toEqual([]);
    await stop();
  });

  it('without a secret ends with the advice to name one, before a session is started', async () => {
    const { bed } = on;
    const stop = await bed.startWorker();
    const file = await bed.writeFile('closed.mp4', 1);
    const { starts } = bed.simulator.seen();
    const url = `http://${await serveBehindLogin(file.path)}/closed.mp4`;
    const handle = await bed.start('', { source: { kind: 'http', url, label: '' } });
    await expect(handle.result()).rejects.toMatchObject({
      code: 'SourceMissing',
      message: expect.stringContaining('answered 401'),
      facts: { hint: expect.stringContaining('MEDIA_SERVICE_SECRETS') },
    });
    expect(bed.simulator.seen().starts).toBe(starts);
    await stop();
  });
});
