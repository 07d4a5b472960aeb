import { createHash } from 'node:crypto';
import { text as textOf } from 'node:stream/consumers';
import { searchMedia } from '../../../../api/media/media-search';
import type { Service } from '../../../../api/service/service';
import { requestPart } from '../../../../api/upload/part/part-request';
import { requestUrl } from '../../../../api/upload/protocol/additional-urls';
import { completeSession } from '../../../../api/upload/protocol/complete-session';
import { readSession } from '../../../../api/upload/protocol/session';
import { startSession } from '../../../../api/upload/protocol/start-session';
import { exportDeliveries } from '../../../../api/webhooks/delivery-export';
import { ACCOUNT } from '../scripted-service';
import type { BrokenAnswer, ValidAnswer } from './broken-answer';

export interface Call {
  readonly name: string;
  readonly valid: ValidAnswer;
  readonly what?: 'login';
  readonly run: (service: Service) => Promise<unknown>;
  /** The check of a value, if there is one. */
  readonly check: (value: never, answer: BrokenAnswer) => void;
  /** A request that may reach the service at most once, or only once after each request of `unless`. */
  readonly once?: { readonly request: string; readonly unless?: string };
  /** Returns whether the broken answer has the canary in a text of the service that messages may quote. */
  readonly mayQuote?: (answer: BrokenAnswer) => boolean;
}

const TOKEN = 'canarytoken0123456789canarytoken0123456789';
const SIGNATURE = 'cafe'.repeat(16);
/** Secrets in valid answers and in the account. No message may show them. */
export const SECRETS: readonly string[] = [TOKEN, SIGNATURE, ACCOUNT.secretKey, ACCOUNT.apiKey];

/** The bytes of a part, and the ETag that storage makes of them. */
const BYTES = Buffer.from('the bytes of a part');
const ETAG = createHash('md5').update(BYTES).digest('hex');

/** Content of answers that is not secret, but that no message may show. */
export const CANARY = 'canary-content';
const RANGE = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };
const PARTS = [{ partNumber: 1, eTag: ETAG }];

const url = (part: number): string =>
  `https://storage.example.com/${CANARY}/film.mp4?partNumber=${part}&X-Amz-Signature=${SIGNATURE}`;
const session = {
  uploadId: 'u-1',
  mediaId: CANARY,
  s3UploadId: CANARY,
  status: 'PENDING_COMPLETE',
  bucketName: CANARY,
  keyName: `${CANARY}.mp4`,
  fileUrl: `https://storage.example.com/${CANARY}.mp4`,
  creator: CANARY,
  parts: [{ partNumber: 1, eTag: CANARY }],
  failureReason: null,
  sanitizedTitle: CANARY,
};
const csv =
  'id,status,mediaId,payload\r\n' +
  `${CANARY},FAILED,m-1,"{""event"":""${CANARY}"",\n""reason"":""a, b""}"\r\n` +
  `d-2,SUCCESS,${CANARY},\r\n`;

const text = expect.any(String);
const isSession = (read: unknown): void =>
  expect(read).toMatchObject({ uploadId: text, status: text, parts: expect.any(Array) });

const SEARCHES: readonly Call[] = [
  {
    name: 'login',
    what: 'login',
    valid: { json: { accessToken: TOKEN, refreshToken: CANARY }, status: 200 },
    run: ({ tokens }) => tokens.token(),
    check: (token: unknown) => expect(token).toEqual(expect.stringMatching(/^[!-~]+$/)),
  },
  {
    name: 'media search',
    valid: {
      json: { content: [{ id: CANARY, tags: { project: CANARY } }], totalElements: 1, number: 0, size: 20 },
      status: 200,
    },
    run: (service) => searchMedia(service, { searchTerm: 'film' }),
    check: ({ items }: { items: unknown[] }) => {
      for (const item of items) expect(item).toBeInstanceOf(Object);
    },
  },
  {
    name: 'export as csv',
    valid: { text: csv, status: 200, headers: { 'x-total-pages': '1', 'x-total-elements': '2' } },
    run: (service) => textOf(exportDeliveries(service, RANGE, { format: 'csv' })),
    check: (all: string, { body }) => {
      // Nothing of the answer changes; only blank lines at its end may be left out.
      const given = Buffer.from(body).toString();
      expect(given.startsWith(all)).toBe(true);
      expect(given.slice(all.length).trim()).toBe('');
    },
    // The plain text of a refusal is the service's own message.
    mayQuote: ({ status }) => status >= 300,
  },
];

const START = { media: { fileType: 'MP4' }, ingestKey: 'key', amountOfParts: 2, limitMs: 60_000 };
const UPLOADS: readonly Call[] = [
  {
    name: 'start',
    once: { request: 'POST /upload/start' },
    valid: {
      json: {
        ...{ uploadId: 'u-1', mediaId: 'm-1', keyName: CANARY },
        presignedUrls: [1, 2].map((partNumber) => ({ partNumber, presignedUrl: url(partNumber) })),
      },
      status: 201,
    },
    run: (service) => startSession(service, START),
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
    run: (service) => requestUrl(service, { uploadId: 'u-1', partNumber: 2 }),
    check: (fresh: { url: string; partNumber: number }) => {
      expect(fresh.partNumber).toBe(2);
      expect(new URL(fresh.url).protocol).toMatch(/^https?:$/);
    },
  },
  {
    name: 'session',
    valid: { json: session, status: 200 },
    run: (service) => readSession(service, 'u-1'),
    check: isSession,
  },
  {
    name: 'complete',
    once: { request: 'POST /upload/u-1/complete' },
    valid: { json: session, status: 202 },
    run: (service) => completeSession(service, { uploadId: 'u-1', parts: PARTS }),
    check: isSession,
  },
  {
    name: 'complete that may have been sent',
    once: { request: 'POST /upload/u-1/complete', unless: 'GET /upload/u-1' },
    valid: { json: { ...session, status: 'PARTIAL' }, status: 200 },
    run: (service) => completeSession(service, { uploadId: 'u-1', parts: PARTS, mayHaveBeenSent: true }),
    check: isSession,
  },
];

const sendPart = ({ transport, clock }: Service): Promise<unknown> =>
  requestPart({ transport, clock, reader: { read: partBytes } }, PART, NO_HOOKS);
const isSent = (put: unknown): void =>
  expect(put).toMatchObject({ eTag: expect.stringMatching(/\S/), bytes: BYTES.length });

const STORAGE_ERRORS = [
  [403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match the signature.'],
  [400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.'],
  [503, 'SlowDown', 'Please reduce your request rate.'],
] as const;

/** Only Code and Message may be quoted. */
const storageError = (code: string, message: string): string =>
  `<Error><Code>${code}</Code><Message>${message}</Message><AWSAccessKeyId>${CANARY}</AWSAccessKeyId>` +
  `<CanonicalRequest>PUT\n/${CANARY}/film.mp4\nX-Amz-Signature=${SIGNATURE}</CanonicalRequest></Error>`;

const STORAGE: readonly Call[] = [
  {
    name: 'part',
    valid: { json: '', status: 200, headers: { etag: `"${ETAG}"`, 'x-amz-id-2': CANARY } },
    run: sendPart,
    check: isSent,
  },
  ...STORAGE_ERRORS.map(([status, code, message]) => ({
    name: `part that storage refuses with ${String(status)} ${code}`,
    valid: { text: storageError(code, message), status },
    run: sendPart,
    check: isSent,
    // What a broken answer moves into these two is quoted, like the service's own message.
    mayQuote: ({ body }: BrokenAnswer) =>
      new RegExp(`<(Code|Message)>[^<]*${CANARY}`, 'i').test(Buffer.from(body).toString()),
  })),
];

async function* partBytes(): AsyncGenerator<Uint8Array> {
  yield BYTES;
}
const PART = {
  ...{ partNumber: 1, offset: 0, bytes: BYTES.length, url: url(1) },
  ...{ verifyMd5: true, stallMs: 15_000 },
};
const NO_HOOKS = { signal: new AbortController().signal };

export const CALLS: readonly Call[] = [...SEARCHES, ...UPLOADS, ...STORAGE];
