import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { listen } from './listen';

export type RangeServer = Awaited<ReturnType<typeof serveFile>>;

/**
 * Serves one file on loopback, whole or in ranges, with an ETag from its size and time. Its URL has a query that
 * represents a signature. Does not answer before `from`.
 */
export async function serveFile(
  path: string,
  query = 'signature=canary',
  from: Promise<void> = Promise.resolve(),
) {
  /** Path and query of every request. */
  const asked: string[] = [];
  const { url, close } = await listen(
    createServer((request, response) => {
      asked.push(request.url ?? '');
      void from.then(() => answer(path, request.headers.range, response));
    }),
  );
  return { url: `${url}/files/${basename(path)}?${query}`, asked, close };
}

/** Answers a request for a range of this content. */
export function answerRange(
  content: Buffer,
  { headers }: Pick<IncomingMessage, 'headers'>,
  response: ServerResponse,
): void {
  const { start, end } = rangeOf(headers.range, content.length);
  response
    .writeHead(206, {
      'content-length': end - start + 1,
      'content-range': `bytes ${String(start)}-${String(end)}/${String(content.length)}`,
      etag: '"v1"',
    })
    .end(content.subarray(start, end + 1));
}

function rangeOf(range: string | undefined, size: number): { readonly start: number; readonly end: number } {
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

async function answer(path: string, range: string | undefined, response: ServerResponse): Promise<void> {
  const { size, mtimeMs } = await stat(path);
  if (size === 0 && range !== undefined) {
    response.writeHead(416, { 'content-range': 'bytes */0' }).end();
    return;
  }
  const { start, end } = rangeOf(range, size);
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
