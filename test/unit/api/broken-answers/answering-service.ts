import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { createService } from '../../../../api/service/create-service';
import { retryingService } from '../../../../api/service/service';
import type { Service } from '../../../../api/service/service';
import type { HttpAnswer, HttpRequest } from '../../../../api/transport/transport';
import type { BrokenAnswer } from './broken-answer';

/** Secrets in valid answers and in the account. No message may show them. */
export const TOKEN = 'canarytoken0123456789canarytoken0123456789';
export const SIGNATURE = 'cafe'.repeat(16);
export const SECRETS: readonly string[] = [TOKEN, SIGNATURE, 'canary-secret-key', 'canary-api-key'];

/** The bytes of a part, and the ETag that storage makes of them. */
export const BYTES = Buffer.from('the bytes of a part');
export const ETAG = createHash('md5').update(BYTES).digest('hex');

/** Limit for any number of retries. */
const MAX_REQUESTS = 30;
const STARTED_AT = 1_000_000;

export interface Answered {
  readonly service: Service;
  /** `METHOD path` of all requests except logins. */
  readonly requests: string[];
  /** How much time the client slept, ms. */
  elapsedMs(): number;
  /** What the client did with the body of each answer. */
  readonly bodies: readonly BodyUse[];
}

export interface BodyUse {
  readonly status: number;
  bytes: number;
  /** It was read to its end or given up, so that its connection is free again. */
  ended: boolean;
}

/** Body bytes without an end, in pieces of 64 KiB. */
export const PIECE = Buffer.alloc(64 * 1024, '{"a":');
export type Given = BrokenAnswer | (Omit<BrokenAnswer, 'body'> & { readonly body: 'endless' });

/**
 * The real client over a transport that returns the given answer to the login or to every other call. Time passes only
 * in sleeps.
 */
export function serviceThatAnswers(given: Given, what: 'login' | 'call'): Answered {
  const requests: string[] = [];
  const bodies: BodyUse[] = [];
  let now = STARTED_AT;
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    const { pathname } = new URL(request.url);
    const isLogin = pathname === '/api/login';
    if (!isLogin || what === 'login') requests.push(`${request.method} ${pathname}`);
    if (requests.length > MAX_REQUESTS) throw new Error(`More than ${MAX_REQUESTS} requests were sent.`);
    // A server reads its requests.
    if (typeof request.body === 'object')
      for await (const chunk of request.body.open()) expect(chunk).toEqual(BYTES);
    if (isLogin === (what === 'login')) return answerOf(given, bodies);
    const json = isLogin ? { accessToken: TOKEN, refreshToken: 'unused' } : {};
    return answerOf({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(json)) }, bodies);
  };
  const once = createService({
    account: {
      baseUrl: 'https://api.example.com',
      uploadUrl: 'https://upload.example.com',
      externalId: 'studio',
      apiKey: 'canary-api-key',
      secretKey: 'canary-secret-key',
    },
    options: { additionalUrls: 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}' },
    transport: { send },
    clock: {
      now: () => now,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        now += ms;
      },
    },
  });
  return { service: retryingService(once), requests, bodies, elapsedMs: () => now - STARTED_AT };
}

/** Not a generator: that would not notice when it is given up before its first piece. */
function answerOf({ status, headers, body }: Given, bodies: BodyUse[]): HttpAnswer {
  const use: BodyUse = { status, bytes: 0, ended: false };
  bodies.push(use);
  const end = (): IteratorResult<Uint8Array> => {
    use.ended = true;
    return { done: true, value: undefined };
  };
  const next = (): IteratorResult<Uint8Array> => {
    const piece = body === 'endless' ? PIECE : body.subarray(use.bytes);
    if (use.ended || piece.length === 0) return end();
    use.bytes += piece.length;
    return { done: false, value: piece };
  };
  const iterator = { next: async () => next(), return: async () => end() };
  return { status, headers, body: { [Symbol.asyncIterator]: () => iterator } };
}
