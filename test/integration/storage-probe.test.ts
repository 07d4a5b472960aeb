import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedS3 } from '../support/servers';
import { type Multipart, type Outcome, type StorageBench, openBench } from './storage-probe-bench';

/**
 * Verifies the simulator's built-in storage: in each of these cases it behaves like a real S3 server behind the
 * simulator's gateway. If they differ, the row says so.
 */
const MIB = 1024 * 1024;
const LARGE = randomBytes(5 * MIB);
const SMALL = randomBytes(1000);
const md5 = (bytes: Uint8Array, form: 'hex' | 'base64' = 'hex'): string =>
  createHash('md5').update(bytes).digest(form);
const ok: Outcome = { status: 200 };
const stored = (bytes: Uint8Array): Outcome => ({ status: 200, eTag: `"${md5(bytes)}"` });

interface Case {
  readonly name: string;
  readonly expected: Outcome;
  /** Set if the S3 server behaves differently, with the reason why that is acceptable. */
  readonly s3Differs?: { readonly expected: Outcome; readonly because: string };
  run(bench: StorageBench): Promise<Outcome>;
}

interface OnePut {
  readonly part?: number;
  readonly bytes?: Buffer;
  readonly headers?: Record<string, string>;
  /** Age of the URL, ms. */
  readonly agoMs?: number;
  readonly changeUrl?: (url: string) => string;
  readonly s3UploadId?: string;
}

/** A PUT to a URL of a new upload. */
const putting =
  ({ part = 1, bytes = SMALL, headers = {}, agoMs = 0, changeUrl = String, ...other }: OnePut): Case['run'] =>
  async (bench) =>
    bench.put(
      changeUrl(await bench.sign({ ...(await bench.upload()), ...other }, part, agoMs)),
      bytes,
      headers,
    );

type Parts = readonly (readonly [partNumber: number, bytes: Buffer])[];

const sendParts = async (bench: StorageBench, upload: Multipart, parts: Parts): Promise<void> => {
  for (const [part, bytes] of parts) await bench.put(await bench.sign(upload, part), bytes);
};
const completeWith = (bench: StorageBench, upload: Multipart, parts: Parts): Promise<Outcome> =>
  bench.complete(
    upload,
    parts.map(([part, bytes]) => [part, md5(bytes)]),
  );

/** Sends parts, and completes the upload with each of the lists of parts, one after the other. */
const completing =
  (sent: Parts, ...lists: readonly Parts[]): Case['run'] =>
  async (bench) => {
    const upload = await bench.upload();
    await sendParts(bench, upload, sent);
    let outcome = ok;
    for (const list of lists) outcome = await completeWith(bench, upload, list);
    return outcome;
  };

const PUTS: readonly Case[] = [
  { name: 'a valid PUT is answered with the quoted MD5', expected: stored(SMALL), run: putting({}) },
  {
    name: 'any Content-Type is accepted if it is not signed',
    expected: stored(SMALL),
    run: putting({ headers: { 'content-type': 'application/octet-stream' } }),
  },
  {
    name: 'an empty part is taken',
    expected: stored(Buffer.alloc(0)),
    run: putting({ bytes: Buffer.alloc(0) }),
  },
  {
    name: 'a URL works twice',
    expected: stored(SMALL),
    run: async (bench) => {
      const url = await bench.sign(await bench.upload(), 1);
      await bench.put(url, LARGE);
      return bench.put(url, SMALL);
    },
  },
  {
    name: 'a tampered signature',
    expected: { status: 403, code: 'SignatureDoesNotMatch' },
    run: putting({ changeUrl: (url) => url.replace(/(X-Amz-Signature=)[0-9a-f]{4}/, '$10000') }),
  },
  {
    name: 'another part number than the signed one',
    expected: { status: 403, code: 'SignatureDoesNotMatch' },
    run: putting({ changeUrl: (url) => url.replace('partNumber=1', 'partNumber=2') }),
  },
  {
    name: 'an expired URL',
    expected: { status: 403, code: 'AccessDenied' },
    run: putting({ agoMs: 2 * 3_600_000 }),
  },
  {
    name: 'no signature at all',
    expected: { status: 403, code: 'AccessDenied' },
    run: putting({ changeUrl: (url) => url.replace(/&?X-Amz-[^&]+/g, '') }),
  },
  {
    name: 'an Authorization header beside the signature',
    expected: { status: 400, code: 'InvalidArgument' },
    s3Differs: { expected: stored(SMALL), because: 'versitygw looks at the query alone; Amazon S3 refuses' },
    run: putting({ headers: { authorization: 'Bearer canary' } }),
  },
  {
    name: 'no Content-Length',
    expected: { status: 411, code: 'MissingContentLength' },
    run: async (bench) => bench.putChunked(await bench.sign(await bench.upload(), 1), SMALL),
  },
  {
    name: 'the right Content-MD5',
    expected: stored(SMALL),
    run: putting({ headers: { 'content-md5': md5(SMALL, 'base64') } }),
  },
  {
    name: 'the Content-MD5 of other bytes',
    expected: { status: 400, code: 'BadDigest' },
    run: putting({ headers: { 'content-md5': md5(LARGE, 'base64') } }),
  },
  {
    name: 'a malformed Content-MD5',
    expected: { status: 400, code: 'InvalidDigest' },
    run: putting({ headers: { 'content-md5': 'no digest' } }),
  },
  {
    name: 'an unknown upload id',
    expected: { status: 404, code: 'NoSuchUpload' },
    run: putting({ s3UploadId: 'a'.repeat(36) }),
  },
  {
    name: 'part number 10,001',
    expected: { status: 400, code: 'InvalidArgument' },
    run: putting({ part: 10_001 }),
  },
];

const INVALID: Outcome = { status: 400, code: 'InvalidPart' };
const TWO: Parts = [
  [1, LARGE],
  [2, SMALL],
];
const ONE: Parts = [[1, SMALL]];
const TOO_SMALL: Parts = [
  [1, LARGE.subarray(1)],
  [2, SMALL],
];
const large = (...parts: number[]): Parts => parts.map((part) => [part, LARGE]);

const COMPLETIONS: readonly Case[] = [
  {
    name: 'parts of 5 MiB and a smaller last one',
    expected: ok,
    run: completing([...TWO].reverse(), TWO),
  },
  {
    name: 'a part under 5 MiB that is not the last',
    expected: { status: 400, code: 'EntityTooSmall' },
    run: completing(TOO_SMALL, TOO_SMALL),
  },
  { name: "an ETag that is not the part's", expected: INVALID, run: completing(ONE, large(1)) },
  { name: 'a part that was never uploaded', expected: INVALID, run: completing(large(1), TWO) },
  {
    name: 'parts in descending order',
    expected: { status: 400, code: 'InvalidPartOrder' },
    run: completing(large(1, 2), large(2, 1)),
  },
  {
    name: 'the first ETag of a part that was sent again',
    expected: INVALID,
    run: completing([...large(1), ...ONE], large(1)),
  },
  {
    name: 'the last ETag of a part that was sent again',
    expected: ok,
    run: completing([...large(1), ...ONE], ONE),
  },
  { name: 'some of the uploaded parts only', expected: ok, run: completing(large(1, 2, 3), large(1, 3)) },
  {
    name: 'a part whose body was refused for its MD5',
    expected: INVALID,
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), SMALL, { 'content-md5': md5(LARGE, 'base64') });
      return completeWith(bench, upload, ONE);
    },
  },
  {
    name: 'a part whose body broke off',
    expected: INVALID,
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.putTruncated(await bench.sign(upload, 1), SMALL, 2 * SMALL.length);
      return completeWith(bench, upload, ONE);
    },
  },
  {
    name: 'an unknown upload id',
    expected: { status: 404, code: 'NoSuchUpload' },
    run: async (bench) => completeWith(bench, { ...(await bench.upload()), s3UploadId: 'a'.repeat(36) }, ONE),
  },
  {
    name: 'a PUT after it',
    expected: { status: 404, code: 'NoSuchUpload' },
    run: async (bench) => {
      const upload = await bench.upload();
      const url = await bench.sign(upload, 1);
      await bench.put(url, SMALL);
      await completeWith(bench, upload, ONE);
      return bench.put(url, SMALL);
    },
  },
  { name: 'the same again', expected: ok, run: completing(ONE, ONE, ONE) },
  {
    name: 'other parts after it',
    expected: { status: 404, code: 'NoSuchUpload' },
    s3Differs: { expected: ok, because: 'versitygw compares the upload id alone and changes nothing' },
    run: completing(ONE, ONE, large(1)),
  },
];

describe.each(['builtin', 's3'] as const)('Storage %s', (kind) => {
  let bench: StorageBench;
  beforeAll(async () => {
    bench = await openBench(kind === 'builtin' ? {} : { s3: { ...sharedS3(), bucket: 'storage-probe' } });
  });
  afterAll(() => bench.close());

  const expectedOf = (probe: Case): Outcome =>
    (kind === 's3' ? probe.s3Differs?.expected : undefined) ?? probe.expected;

  test.each(PUTS)('PUT: $name', async (probe) => {
    expect(await probe.run(bench)).toEqual(expectedOf(probe));
  });

  test.each(COMPLETIONS)('Complete: $name', async (probe) => {
    expect(await probe.run(bench)).toEqual(expectedOf(probe));
  });

  test('joins the parts in order into the object', async () => {
    const upload = await bench.upload();
    await sendParts(bench, upload, TWO);
    await completeWith(bench, upload, TWO);
    const sha256 = createHash('sha256').update(LARGE).update(SMALL).digest('hex');
    expect(await bench.object(upload)).toEqual({ bytes: LARGE.length + SMALL.length, sha256 });
  });
});
