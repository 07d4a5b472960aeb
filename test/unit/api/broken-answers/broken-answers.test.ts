import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { MediaServiceError } from '../../../../api/errors';
import { searchMedia } from '../../../../api/media/media-search';
import { createService } from '../../../../api/service/create-service';
import type { Service } from '../../../../api/service/service';
import type { HttpAnswer, HttpRequest } from '../../../../api/transport/transport';
import { putPart } from '../../../../api/upload/parts/part-request';
import { requestUrls } from '../../../../api/upload/session/additional-urls';
import { completeSession } from '../../../../api/upload/session/complete-session';
import { readSession } from '../../../../api/upload/session/session-status';
import { startSession } from '../../../../api/upload/session/start-session';
import { exportDeliveries } from '../../../../api/webhooks/delivery-export';
import { searchDeliveries } from '../../../../api/webhooks/delivery-search';
import { breaking } from './broken-answer';
import type { BrokenAnswer, ValidAnswer } from './broken-answer';

const RUNS = 2_000;
/** Secrets in valid answers. No message may show them. */
const TOKEN = 'canarytoken0123456789canarytoken0123456789';
const SIGNATURE = 'cafe'.repeat(16);
const SECRETS = [TOKEN, SIGNATURE, 'canary-secret-key', 'canary-api-key'];
/** Limit for any number of retries. */
const MAX_REQUESTS = 30;

const url = (part: number): string =>
  `https://storage.example.com/bucket/film.mp4?partNumber=${part}&X-Amz-Signature=${SIGNATURE}`;
const session = {
  uploadId: 'u-1',
  mediaId: 'm-1',
  s3UploadId: 's3-1',
  status: 'PENDING_COMPLETE',
  bucketName: 'media',
  keyName: 'film.mp4',
  fileUrl: 'https://storage.example.com/film.mp4',
  creator: 'Ada',
  parts: [{ partNumber: 1, eTag: 'd41d8cd98f00b204e9800998ecf8427e' }],
  failureReason: null,
  sanitizedTitle: 'Film',
};
const BYTES = Buffer.from('the bytes of a part');

interface Answered {
  readonly service: Service;
  /** `METHOD path` of all requests except logins. */
  readonly requests: string[];
}

/**
 * The real client over a transport that returns the broken answer to the login or to every other call. Time passes only
 * in sleeps.
 */
function serviceThatAnswers(broken: BrokenAnswer, what: 'login' | 'call'): Answered {
  const requests: string[] = [];
  let now = 1_000_000;
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    const { pathname } = new URL(request.url);
    const isLogin = pathname === '/api/login';
    if (!isLogin || what === 'login') requests.push(`${request.method} ${pathname}`);
    if (requests.length > MAX_REQUESTS) throw new Error(`More than ${MAX_REQUESTS} requests were sent.`);
    // A server reads its requests.
    if (typeof request.body === 'object')
      for await (const chunk of request.body.open()) expect(chunk).toEqual(BYTES);
    if (isLogin === (what === 'login')) return answerOf(broken);
    const body = isLogin ? { accessToken: TOKEN, refreshToken: 'unused' } : {};
    return answerOf({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) });
  };
  const service = createService({
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
  return { service, requests };
}

function answerOf({ status, headers, body }: BrokenAnswer): HttpAnswer {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield body;
  }
  return { status, headers, body: bytes() };
}

interface Call {
  readonly name: string;
  readonly valid: ValidAnswer;
  readonly what?: 'login';
  readonly run: (service: Service) => Promise<unknown>;
  /** The check of a value, if there is one. */
  readonly check: (value: never) => void;
  /** A request that may reach the service at most once. */
  readonly once?: string;
}

const text = expect.any(String);
const CALLS: readonly Call[] = [
  {
    name: 'login',
    what: 'login',
    valid: { json: { accessToken: TOKEN, refreshToken: 'unused' }, status: 200 },
    run: ({ tokens }) => tokens.token(),
    check: (token: unknown) => expect(token).toEqual(expect.stringMatching(/^[!-~]+$/)),
  },
  {
    name: 'media search',
    valid: {
      json: { content: [{ id: 'm-1', title: 'Film' }], totalElements: 1, totalPages: 1, number: 0, size: 20 },
      status: 200,
    },
    run: (service) => searchMedia(service, { searchTerm: 'film' }),
    check: ({ items }: { items: unknown[] }) => {
      for (const item of items) expect(item).toBeInstanceOf(Object);
    },
  },
  {
    name: 'deliveries',
    valid: {
      json: [{ id: 'd-1', status: 'FAILED', mediaId: 'm-1', sentAt: '2026-11-01T00:00:00Z' }],
      status: 200,
      headers: { 'x-total-pages': '1' },
    },
    run: (service) => searchDeliveries(service, { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' }),
    check: ({ items }: { items: unknown[] }) => {
      for (const item of items) expect(item).toBeInstanceOf(Object);
    },
  },
  ...(['csv', 'jsonl'] as const).map((format) => ({
    name: `export as ${format}`,
    valid: {
      json: [{ id: 'd-1', status: 'FAILED' }],
      status: 200,
      headers: { 'x-total-pages': '1', 'x-total-elements': '1' },
    },
    run: async (service: Service) => {
      const range = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };
      let all = '';
      for await (const piece of exportDeliveries(service, range, { format })) all += piece;
      return all;
    },
    check: (all: string) => {
      if (format === 'jsonl') for (const line of all.split('\n').filter(Boolean)) JSON.parse(line);
    },
  })),
  {
    name: 'start',
    once: 'POST /upload/start',
    valid: {
      json: {
        uploadId: 'u-1',
        mediaId: 'm-1',
        presignedUrls: [1, 2].map((partNumber) => ({ partNumber, presignedUrl: url(partNumber) })),
      },
      status: 201,
    },
    run: (service) =>
      startSession(service, {
        media: { fileType: 'MP4' },
        ingestKey: 'key',
        amountOfParts: 2,
        limitMs: 60_000,
      }),
    check: (started: { urls: { url: string; partNumber: number }[] }) => {
      expect(started).toMatchObject({ uploadId: text });
      for (const one of started.urls) {
        expect(new URL(one.url).protocol).toMatch(/^https?:$/);
        expect([1, 2]).toContain(one.partNumber);
      }
    },
  },
  {
    name: 'additional URLs',
    valid: { json: { presignedUrls: [{ partNumber: 2, presignedUrl: url(2) }] }, status: 200 },
    run: (service) => requestUrls(service, { uploadId: 'u-1', partNumbers: [2] }),
    check: (urls: { url: string; partNumber: number }[]) => {
      expect(urls.map(({ partNumber }) => partNumber)).toEqual([2]);
      expect(new URL(urls[0]?.url ?? '').protocol).toMatch(/^https?:$/);
    },
  },
  {
    name: 'session',
    valid: { json: session, status: 200 },
    run: (service) => readSession(service, 'u-1'),
    check: (read: unknown) => expect(read).toMatchObject({ uploadId: text, status: text }),
  },
  {
    name: 'complete',
    once: 'POST /upload/u-1/complete',
    valid: { json: session, status: 202 },
    run: (service) =>
      completeSession(service, {
        uploadId: 'u-1',
        parts: [{ partNumber: 1, eTag: 'd41d8cd98f00b204e9800998ecf8427e' }],
      }),
    check: (read: unknown) => expect(read).toMatchObject({ uploadId: text, status: text }),
  },
  {
    name: 'part',
    valid: {
      json: '',
      status: 200,
      headers: { etag: `"${createHash('md5').update(BYTES).digest('hex')}"` },
    },
    run: ({ transport, clock }) => putPart({ transport, clock, reader: { read: partBytes } }, PART, NO_HOOKS),
    check: (put: unknown) =>
      expect(put).toMatchObject({ eTag: expect.stringMatching(/\S/), bytes: BYTES.length }),
  },
];

async function* partBytes(): AsyncGenerator<Uint8Array> {
  yield BYTES;
}
const PART = {
  ...{ partNumber: 1, offset: 0, bytes: BYTES.length, url: url(1) },
  ...{ verifyMd5: true, minimumThroughput: 0, stallMs: 15_000 },
};
const NO_HOOKS = { onBytes: () => undefined, signal: new AbortController().signal };

describe(`any of ${RUNS} broken answers of`, () => {
  it.each(CALLS)('$name gives a value of its shape or a typed error without secrets', async (call) => {
    await fc.assert(
      fc.asyncProperty(breaking, async (broken) => {
        const { service, requests } = serviceThatAnswers(broken(call.valid), call.what ?? 'call');
        try {
          call.check((await call.run(service)) as never);
        } catch (error) {
          if (!(error instanceof MediaServiceError)) throw error;
          expect(error.code).not.toBe('Internal');
          expect(error.message.length).toBeLessThan(3_000);
          const { cause } = error;
          const shown = JSON.stringify([
            error.message,
            error.facts,
            cause instanceof Error ? cause.message : cause,
          ]);
          for (const secret of SECRETS) expect(shown).not.toContain(secret);
        }
        if (call.once !== undefined)
          expect(requests.filter((one) => one === call.once).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: RUNS },
    );
  });
});
