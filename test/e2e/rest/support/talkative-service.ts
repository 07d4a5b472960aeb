import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { listen } from '../../../support/listen';

/** Secrets that this server sends. Neither may be stored anywhere after a run. */
export const GIVEN_OUT = {
  token: 'canary-token-41c9d0e7aa',
  signature: 'canary-url-signature-7d3f',
} as const;

export interface TalkativeService {
  readonly url: string;
  /** Method, path and headers of each request. */
  readonly arrived: readonly { readonly line: string; readonly headers: IncomingMessage['headers'] }[];
  /** From now on it refuses logins, too. */
  refuseAll(): void;
  close(): Promise<void>;
}

/**
 * A service with its upload operations and storage. Its refusals repeat everything that they received: address with
 * query, headers and body. It accepts logins and starts, and refuses parts.
 */
export async function startTalkativeService(): Promise<TalkativeService> {
  const arrived: { line: string; headers: IncomingMessage['headers'] }[] = [];
  let refusesAll = false;
  let url = '';
  const server = createServer((request, response) => {
    const line = `${request.method ?? ''} ${request.url ?? ''}`;
    arrived.push({ line, headers: request.headers });
    void bodyOf(request).then((body) => {
      const answer = refusesAll ? undefined : answerTo(line, url);
      const echo = { message: `Refused ${url}${request.url ?? ''}`, headers: request.headers, body };
      response.writeHead(answer === undefined ? 403 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? echo));
    });
  });
  const listening = await listen(server);
  ({ url } = listening);
  return {
    url,
    arrived,
    refuseAll: () => void (refusesAll = true),
    close: listening.close,
  };
}

function answerTo(line: string, url: string): object | undefined {
  if (line === 'POST /api/login') return { accessToken: GIVEN_OUT.token };
  if (line !== 'POST /upload/start') return undefined;
  const presignedUrl = `${url}/bucket/part-1?X-Amz-Signature=${GIVEN_OUT.signature}&partNumber=1`;
  return { uploadId: 'u-1', mediaId: 'm-1', presignedUrls: [{ partNumber: 1, presignedUrl }] };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('latin1', 0, 4096);
}
