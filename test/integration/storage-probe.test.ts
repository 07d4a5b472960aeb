import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedS3 } from '../support/servers';
import { type Outcome, type StorageBench, openBench } from './storage-probe-bench';

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

const PUTS: readonly Case[] = [
  {
    name: 'a valid PUT is answered with the quoted MD5',
    expected: stored(SMALL),
    run: async (bench) => bench.put(await bench.sign(await bench.upload(), 1), SMALL),
  },
  {
    name: 'any Content-Type is accepted if it is not signed',
    expected: stored(SMALL),
    run: async (bench) =>
      bench.put(await bench.sign(await bench.upload(), 1), SMALL, {
        'content-type': 'application/octet-stream',
      }),
  },
  {
    name: 'an empty part is taken',
    expected: stored(Buffer.alloc(0)),
    run: async (bench) => bench.put(await bench.sign(await bench.upload(), 1), Buffer.alloc(0)),
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
    run: async (bench) => {
      const url = await bench.sign(await bench.upload(), 1);
      return bench.put(url.replace(/(X-Amz-Signature=)[0-9a-f]{4}/, '$10000'), SMALL);
    },
  },
  {
    name: 'another part number than the signed one',
    expected: { status: 403, code: 'SignatureDoesNotMatch' },
    run: async (bench) => {
      const url = await bench.sign(await bench.upload(), 1);
      return bench.put(url.replace('partNumber=1', 'partNumber=2'), SMALL);
    },
  },
  {
    name: 'an expired URL',
    expected: { status: 403, code: 'AccessDenied' },
    run: async (bench) => bench.put(await bench.sign(await bench.upload(), 1, 120_000), SMALL),
  },
  {
    name: 'a fresh URL of the same part after the control has expired the first',
    expected: stored(SMALL),
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.sign(upload, 1);
      bench.storage.urls.expire();
      return bench.put(await bench.sign(upload, 1), SMALL);
    },
  },
  {
    name: 'no signature at all',
    expected: { status: 403, code: 'AccessDenied' },
    run: async (bench) => {
      const url = await bench.sign(await bench.upload(), 1);
      return bench.put(url.replace(/&?X-Amz-[^&]+/g, ''), SMALL);
    },
  },
  {
    name: 'an Authorization header beside the signature',
    expected: { status: 400, code: 'InvalidArgument' },
    s3Differs: { expected: stored(SMALL), because: 'versitygw looks at the query alone; Amazon S3 refuses' },
    run: async (bench) =>
      bench.put(await bench.sign(await bench.upload(), 1), SMALL, { authorization: 'Bearer canary' }),
  },
  {
    name: 'no Content-Length',
    expected: { status: 411, code: 'MissingContentLength' },
    run: async (bench) => bench.putChunked(await bench.sign(await bench.upload(), 1), SMALL),
  },
  {
    name: 'the right Content-MD5',
    expected: stored(SMALL),
    run: async (bench) =>
      bench.put(await bench.sign(await bench.upload(), 1), SMALL, { 'content-md5': md5(SMALL, 'base64') }),
  },
  {
    name: 'the Content-MD5 of other bytes',
    expected: { status: 400, code: 'BadDigest' },
    run: async (bench) =>
      bench.put(await bench.sign(await bench.upload(), 1), SMALL, { 'content-md5': md5(LARGE, 'base64') }),
  },
  {
    name: 'a malformed Content-MD5',
    expected: { status: 400, code: 'InvalidDigest' },
    run: async (bench) =>
      bench.put(await bench.sign(await bench.upload(), 1), SMALL, { 'content-md5': 'no digest' }),
  },
  {
    name: 'an unknown upload id',
    expected: { status: 404, code: 'NoSuchUpload' },
    run: async (bench) =>
      bench.put(await bench.sign({ ...(await bench.upload()), s3UploadId: 'a'.repeat(36) }, 1), SMALL),
  },
  {
    name: 'part number 10,001',
    expected: { status: 400, code: 'InvalidArgument' },
    run: async (bench) => bench.put(await bench.sign(await bench.upload(), 10_001), SMALL),
  },
];

const COMPLETIONS: readonly Case[] = [
  {
    name: 'parts of 5 MiB and a smaller last one',
    expected: ok,
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 2), SMALL);
      await bench.put(await bench.sign(upload, 1), LARGE);
      return bench.complete(upload, [
        [1, md5(LARGE)],
        [2, md5(SMALL)],
      ]);
    },
  },
  {
    name: 'a part under 5 MiB that is not the last',
    expected: { status: 400, code: 'EntityTooSmall' },
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), LARGE.subarray(1));
      await bench.put(await bench.sign(upload, 2), SMALL);
      return bench.complete(upload, [
        [1, md5(LARGE.subarray(1))],
        [2, md5(SMALL)],
      ]);
    },
  },
  {
    name: "an ETag that is not the part's",
    expected: { status: 400, code: 'InvalidPart' },
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), SMALL);
      return bench.complete(upload, [[1, md5(LARGE)]]);
    },
  },
  {
    name: 'a part that was never uploaded',
    expected: { status: 400, code: 'InvalidPart' },
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), LARGE);
      return bench.complete(upload, [
        [1, md5(LARGE)],
        [2, md5(SMALL)],
      ]);
    },
  },
  {
    name: 'parts in descending order',
    expected: { status: 400, code: 'InvalidPartOrder' },
    run: async (bench) => {
      const upload = await bench.upload();
      for (const part of [1, 2]) await bench.put(await bench.sign(upload, part), LARGE);
      return bench.complete(upload, [
        [2, md5(LARGE)],
        [1, md5(LARGE)],
      ]);
    },
  },
  {
    name: 'the first ETag of a part that was sent again',
    expected: { status: 400, code: 'InvalidPart' },
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), LARGE);
      await bench.put(await bench.sign(upload, 1), SMALL);
      return bench.complete(upload, [[1, md5(LARGE)]]);
    },
  },
  {
    name: 'the last ETag of a part that was sent again',
    expected: ok,
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), LARGE);
      await bench.put(await bench.sign(upload, 1), SMALL);
      return bench.complete(upload, [[1, md5(SMALL)]]);
    },
  },
  {
    name: 'some of the uploaded parts only',
    expected: ok,
    run: async (bench) => {
      const upload = await bench.upload();
      for (const part of [1, 2, 3]) await bench.put(await bench.sign(upload, part), LARGE);
      return bench.complete(upload, [
        [1, md5(LARGE)],
        [3, md5(LARGE)],
      ]);
    },
  },
  {
    name: 'a part whose body was refused for its MD5',
    expected: { status: 400, code: 'InvalidPart' },
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), SMALL, { 'content-md5': md5(LARGE, 'base64') });
      return bench.complete(upload, [[1, md5(SMALL)]]);
    },
  },
  {
    name: 'a part whose body broke off',
    expected: { status: 400, code: 'InvalidPart' },
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.putTruncated(await bench.sign(upload, 1), SMALL, 2 * SMALL.length);
      return bench.complete(upload, [[1, md5(SMALL)]]);
    },
  },
  {
    name: 'an unknown upload id',
    expected: { status: 404, code: 'NoSuchUpload' },
    run: async (bench) =>
      bench.complete({ ...(await bench.upload()), s3UploadId: 'a'.repeat(36) }, [[1, md5(SMALL)]]),
  },
  {
    name: 'a PUT after it',
    expected: { status: 404, code: 'NoSuchUpload' },
    run: async (bench) => {
      const upload = await bench.upload();
      const url = await bench.sign(upload, 1);
      await bench.put(url, SMALL);
      await bench.complete(upload, [[1, md5(SMALL)]]);
      return bench.put(url, SMALL);
    },
  },
  {
    name: 'the same again',
    expected: ok,
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), SMALL);
      await bench.complete(upload, [[1, md5(SMALL)]]);
      return bench.complete(upload, [[1, md5(SMALL)]]);
    },
  },
  {
    name: 'other parts after it',
    expected: { status: 404, code: 'NoSuchUpload' },
    s3Differs: { expected: ok, because: 'versitygw compares the upload id alone and changes nothing' },
    run: async (bench) => {
      const upload = await bench.upload();
      await bench.put(await bench.sign(upload, 1), SMALL);
      await bench.complete(upload, [[1, md5(SMALL)]]);
      return bench.complete(upload, [[1, md5(LARGE)]]);
    },
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
    for (const [at, bytes] of [LARGE, SMALL].entries())
      await bench.put(await bench.sign(upload, at + 1), bytes);
    await bench.complete(upload, [
      [1, md5(LARGE)],
      [2, md5(SMALL)],
    ]);
    const sha256 = createHash('sha256').update(LARGE).update(SMALL).digest('hex');
    expect(await bench.object(upload)).toEqual({ bytes: LARGE.length + SMALL.length, sha256 });
  });
});
