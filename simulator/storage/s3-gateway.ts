import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { BrokenBody } from './storage';
import type { Answer } from '../http/answer';

/** Headers of one connection, which are not forwarded. */
const HOP_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect']);

/**
 * Forwards a request to the S3 server with unchanged bytes and Host, so that the server can verify the client's
 * signature. Streams in constant memory. Rejects with BrokenBody if the client closes its connection early, which ends
 * the forwarded request too, and if the server gives no answer.
 */
export async function forward(
  server: Dispatcher,
  { method = '', url = '/', headers }: IncomingMessage,
  body: AsyncIterable<Buffer>,
): Promise<Answer> {
  // An error after the server's answer changes nothing.
  const sent = Readable.from(body, { objectMode: false }).on('error', () => undefined);
  try {
    const request = { method, path: url, headers: passedHeaders(headers) };
    const answer = await server.request({ ...request, body: sent });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: passedHeaders(answer.headers), text };
  } catch (error) {
    if (error instanceof BrokenBody) throw error;
    throw new BrokenBody('The S3 server gave no answer.', { cause: error });
  } finally {
    sent.destroy();
  }
}

function passedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const passed = Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name));
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
}
