import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { listen } from '../../../support/listen';
import { randomBytesOf } from '../../../support/source-file';

export interface RandomServer {
  /** The URL of a file of `bytes` bytes, which look random and depend only on the name. */
  url(name: string, bytes: number): string;
  close(): Promise<void>;
}

/** Serves files on loopback that are generated while they are sent, without disk and with constant memory. */
export async function startRandomServer(): Promise<RandomServer> {
  const { url, close } = await listen(
    createServer((request, response) => {
      const [, bytes = '', name = ''] = (request.url ?? '').split('/');
      answer(name, Number(bytes), response).catch(() => response.destroy());
    }),
  );
  return { url: (name, bytes) => `${url}/${String(bytes)}/${name}`, close };
}

/** As hexadecimal text. */
export function randomSha256(name: string, bytes: number): string {
  const hash = createHash('sha256');
  for (const chunk of randomBytesOf(name, bytes)) hash.update(chunk);
  return hash.digest('hex');
}

async function answer(name: string, bytes: number, response: ServerResponse): Promise<void> {
  response.writeHead(200, {
    'content-type': 'video/mp4',
    'content-length': bytes,
    'content-disposition': `attachment; filename="${name}"`,
  });
  await pipeline(randomBytesOf(name, bytes), response);
}
