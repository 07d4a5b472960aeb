import { createHash, randomBytes } from 'node:crypto';
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
const refused = (status: number, code: string): Outcome => ({ status, code });
const stored = (bytes: Uint8Array): Outcome => ({ status: 200, eTag: `"${md5(bytes)}"` });

type Case = readonly [
  name: string,
  expected: Outcome,
  run: (bench: StorageBench) => Promise<Outcome>,
  /** Set if the S3 server behaves differently, with the reason why that is acceptable. */
  s3Differs?: { readonly expected: Outcome; readonly because: string },
];
type Run = Case[2];

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
  ({ part = 1, bytes = SMALL, headers = {}, agoMs = 0, changeUrl = String, ...other }: OnePut): Run =>
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
  (sent: Parts, ...lists: readonly Parts[]): Run =>
  async (bench) => {
    const upload = await bench.upload();
    await sendParts(bench, upload, sent);
    let outcome = ok;
    for (const list of lists) outcome = await completeWith(bench, upload, list);
    return outcome;
  };

const PUTS: readonly Case[] = [
  ['a valid PUT is answered with the quoted MD5', stored(SMALL), putting({})],
  [
    'any Content-Type is accepted if it is not signed',
    stored(SMALL),
    putting({ headers: { 'content-type': 'application/octet-stream' } }),
  ],
  ['an empty part is taken', stored(Buffer.alloc(0)), putting({ bytes: Buffer.alloc(0) })],
  [
    'a URL works twice',
    stored(SMALL),
    async (bench) => {
      const url = await bench.sign(await bench.upload(), 1);
      await bench.put(url, LARGE);
      return bench.put(url, SMALL);
    },
  ],
  [
    'a tampered signature',
    refused(403, 'SignatureDoesNotMatch'),
    putting({ changeUrl: (url) => url.replace(/(X-Amz-Signature=)[0-9a-f]{4}/, '$10000') }),
  ],
  [
    'another part number than the signed one',
    refused(403, 'SignatureDoesNotMatch'),
    putting({ changeUrl: (url) => url.replace('partNumber=1', 'partNumber=2') }),
  ],
  ['an expired URL', refused(403, 'AccessDenied'), putting({ agoMs: 2 * 3_600_000 })],
  [
    'no signature at all',
    refused(403, 'AccessDenied'),
    putting({ changeUrl: (url) => url.replace(/&?X-Amz-[^&]+/g, '') }),
  ],
  [
    'an Authorization header beside the signature',
    refused(400, 'InvalidArgument'),
    putting({ headers: { authorization: 'Bearer canary' } }),
    { expected: stored(SMALL), because: 'versitygw looks at the query alone; Amazon S3 refuses' },
  ],
  [
    'no Content-Length',
    refused(411, 'MissingContentLength'),
    async (bench) => bench.putChunked(await bench.sign(await bench.upload(), 1), SMALL),
  ],
  ['the right Content-MD5', stored(SMALL), putting({ headers: { 'content-md5': md5(SMALL, 'base64') } })],
  [
    'the Content-MD5 of other bytes',
    refused(400, 'BadDigest'),
    putting({ headers: { 'content-md5': md5(LARGE, 'base64') } }),
  ],
  [
    'a malformed Content-MD5',
    refused(400, 'InvalidDigest'),
    putting({ headers: { 'content-md5': 'no digest' } }),
  ],
  ['an unknown upload id', refused(404, 'NoSuchUpload'), putting({ s3UploadId: 'a'.repeat(36) })],
  ['part number 10,001', refused(400, 'InvalidArgument'), putting({ part: 10_001 })],
];

const INVALID: Outcome = refused(400, 'InvalidPart');
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
  ['parts of 5 MiB and a smaller last one', ok, completing([...TWO].reverse(), TWO)],
  [
    'a part under 5 MiB that is not the last',
    refused(400, 'EntityTooSmall'),
    completing(TOO_SMALL, TOO_SMALL),
  ],
  ["an ETag that is not the part's", INVALID, completing(ONE, large(1))],
  ['a part that was never uploaded', INVALID, completing(large(1), TWO)],
  ['parts in descending order', refused(400, 'InvalidPartOrder'), completing(large(1, 2), large(2, 1))],
  ['the first ETag of a part that was sent again', INVALID, completing([...large(1), ...ONE], large(1))],
  ['the last ETag of a part that was sent again', ok, completing([...large(1), ...ONE], ONE)],
  ['some of the uploaded parts only', ok, completing(large(1, 2, 3), large(1, 3))],
  [
    'a part whose body was refused for its MD5',
    INVALID,
    async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), SMALL, { 'content-md5': md5(LARGE, 'base64') });
      return completeWith(bench, upload, ONE);
    },
  ],
  [
    'a part whose body broke off',
    INVALID,
    async (bench) => {
      const upload = await bench.upload();
      await bench.putTruncated(await bench.sign(upload, 1), SMALL, 2 * SMALL.length);
      return completeWith(bench, upload, ONE);
    },
  ],
  [
    'an unknown upload id',
    refused(404, 'NoSuchUpload'),
    async (bench) => completeWith(bench, { ...(await bench.upload()), s3UploadId: 'a'.repeat(36) }, ONE),
  ],
  [
    'a PUT after it',
    refused(404, 'NoSuchUpload'),
    async (bench) => {
      const upload = await bench.upload();
      const url = await bench.sign(upload, 1);
      await bench.put(url, SMALL);
      await completeWith(bench, upload, ONE);
      return bench.put(url, SMALL);
    },
  ],
  ['the same again', ok, completing(ONE, ONE, ONE)],
  [
    'other parts after it',
    refused(404, 'NoSuchUpload'),
    completing(ONE, ONE, large(1)),
    { expected: ok, because: 'versitygw compares the upload id alone and changes nothing' },
  ],
];

describe.each(['builtin', 's3'] as const)('Storage %s', (kind) => {
  let bench: StorageBench;
  beforeAll(async () => {
    bench = await openBench(kind === 'builtin' ? {} : { s3: { ...sharedS3(), bucket: 'storage-probe' } });
  });
  afterAll(() => bench.close());

  const meets = async (...[, expected, run, s3Differs]: Case): Promise<void> =>
    expect(await run(bench)).toEqual((kind === 's3' ? s3Differs?.expected : undefined) ?? expected);

  test.each(PUTS)('PUT: %s', meets);

  test.each(COMPLETIONS)('Complete: %s', meets);

  test('joins the parts in order into the object', async () => {
    const upload = await bench.upload();
    await sendParts(bench, upload, TWO);
    await completeWith(bench, upload, TWO);
    const sha256 = createHash('sha256').update(LARGE).update(SMALL).digest('hex');
    expect(await bench.object(upload)).toEqual({ bytes: LARGE.length + SMALL.length, sha256 });
  });
});
