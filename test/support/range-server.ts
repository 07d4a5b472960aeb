import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { basename } from 'node:path';

export interface RangeServer {
  /** URL of the file, with a query that represents a signature. */
  readonly url: string;
  /** Path and query of every request. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/**
 * Serves one file on loopback, whole or in ranges, with an ETag from its size and time. Does not answer before `from`.
 */
export async function serveFile(
  path: string,
  query = 'signature=canary',
  from: Promise<void> = Promise.resolve(),
): Promise<RangeServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    void from.then(() => answer(path, request.headers.range, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return {
    url: `http://127.0.0.1:${String(address.port)}/files/${basename(path)}?${query}`,
    asked,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(path: string, range: string | undefined, response: ServerResponse): Promise<void> {
  const { size, mtimeMs } = await stat(path);
  if (size === 0 && range !== undefined) {
    response.writeHead(416, { 'content-range': 'bytes */0' }).end();
    return;
  }
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  response.writeHead(range === undefined ? 200 : 206, {
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    etag: `"${String(size)}-${String(mtimeMs)}"`,
    ...(range === undefined
      ? {}
      : { 'content-range': `bytes ${String(start)}-${String(end)}/${String(size)}` }),
  });
  createReadStream(path, { start, end }).pipe(response);
}
