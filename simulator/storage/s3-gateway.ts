import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as send,
} from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { piecesOf } from '../http/request-body';
import { BrokenBody } from './storage';
import type { Answer } from '../http/answer';

/** Headers of one connection, which are not forwarded. */
const HOP_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'expect']);

/**
 * Forwards requests to the S3 server with unchanged bytes and Host, so that the server can verify the client's
 * signature.
 */
export class S3Gateway {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(private readonly endpoint: string) {}

  /**
   * Streams in constant memory. If the client closes its connection early, the forwarded request ends too. Rejects with
   * BrokenBody then, and if the server gives no answer.
   */
  async forward(request: IncomingMessage, body: AsyncIterable<Buffer>): Promise<Answer> {
    const outgoing = send(new URL(this.endpoint), {
      agent: this.#agent,
      method: request.method ?? '',
      path: request.url ?? '/',
      headers: passedHeaders(request.headers),
      setHost: false,
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.once('error', reject);
    });
    const sent = sendBody(body, outgoing);
    // Waits for either, because an S3 server returns an error without waiting for the body.
    const incoming = await Promise.race([answered, sent.then(() => answered)]).catch(
      async (error: unknown) => {
        await sent;
        throw new BrokenBody('The S3 server gave no answer.', { cause: error });
      },
    );
    const answer = await readAnswer(incoming);
    if (!outgoing.writableFinished) outgoing.destroy();
    return answer;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/**
 * Rejects with BrokenBody if the client closed its connection early. If the server stops reading, its answer shows
 * why.
 */
async function sendBody(body: AsyncIterable<Buffer>, outgoing: ClientRequest): Promise<void> {
  await pipeline(Readable.from(body, { objectMode: false }), outgoing).catch((error: unknown) => {
    if (error instanceof BrokenBody) throw error;
  });
}

function passedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const passed = Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name));
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
}

async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  for await (const piece of piecesOf(incoming)) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  return { status: incoming.statusCode ?? 502, headers: passedHeaders(incoming.headers), text };
}
