import { createServer } from 'node:net';
import { readFile } from 'node:fs/promises';
import { afterTest } from '../support/after-test';
import { listen } from '../support/listen';
import { MIB, PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

/**
 * Serves ranges of the content as small servers do: each answer closes its connection, and the server ends its socket
 * as soon as it has written, whether or not anybody reads.
 */
async function serveClosing(content: Buffer): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      const [, first = '', last = ''] = /range: bytes=(\d+)-(\d+)/i.exec(request.toString('latin1')) ?? [];
      const isRange = first !== '';
      const body = isRange ? content.subarray(Number(first), Number(last) + 1) : content;
      const range = `Content-Range: bytes ${first}-${last}/${String(content.length)}\r\n`;
      socket.write(
        `HTTP/1.1 ${isRange ? '206 Partial Content' : '200 OK'}\r\nETag: "v1"\r\n${isRange ? range : ''}` +
          `Content-Length: ${String(body.length)}\r\nConnection: close\r\n\r\n`,
      );
      socket.end(body);
    });
  });
  const { url, close } = await listen(server);
  afterTest(close);
  return `${url}/film.mp4`;
}

it('a worker lives, and the bytes arrive, if a source closes each connection while its reader is paused', async () => {
  const { fixture } = on;
  const { path, sha256 } = await fixture.writeFile('film.mp4', 6);
  const url = await serveClosing(await readFile(path));
  const worker = await fixture.startWorkerProcess({ bandwidth: 10 * MIB });
  const source = { kind: 'http', url, label: 'film.mp4' } as const;
  const handle = await fixture.start('', { source, options: { concurrency: 4 } });
  const result = await handle.result();
  expect(result).toMatchObject({ status: 'COMPLETED', bytes: 6 * PART_BYTES });
  expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(sha256);
  expect(await worker.kill('SIGTERM')).toBe(0);
});
