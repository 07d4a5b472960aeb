import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Serves a file without Range, so that an upload must copy it first. */
export async function serveWhole(
  path: string,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((_request, response) => {
    void readFile(path).then((content) => response.writeHead(200, { etag: '"v1"' }).end(content));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/films/film.mp4?sig=source-url-canary`,
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
