import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { createS3 } from '../../files/s3/s3-client';
import { deleteFileAt, listFilesAt, readFileAt, readTextAt, writeFileAt } from '../../files/files';
import type { FileAccess } from '../../files/output-path';
import type { FileLocation } from '../../files/file-location';
import { sharedS3Client, useBucket } from '../support/s3-bucket';
import { sharedS3 } from '../support/servers';
import { failureOf } from '../unit/api/upload/failure-of';

const MIB = 1024 * 1024;

const bucket = useBucket();
const s3 = createS3(bucket.settings);
const access: FileAccess = { outputRoots: [], roots: [], s3 };
afterAll(() => s3.close());

function at(key: string): FileLocation {
  return { kind: 's3', bucket: bucket.name, key };
}

async function sha256Of(location: FileLocation): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readFileAt(access, location)) hash.update(chunk);
  return hash.digest('hex');
}

describe('a file location in S3', () => {
  test('can be written, read, found and deleted', async () => {
    const location = at('batch/plan.json');
    expect(await readTextAt(access, location)).toBeUndefined();
    await writeFileAt(access, location, '{"ü":1}');
    expect(await readTextAt(access, location)).toBe('{"ü":1}');
    expect((await s3.facts({ bucket: bucket.name, key: 'batch/plan.json' })).mimeType).toBe(
      'application/json',
    );
    await writeFileAt(access, location, '{}');
    expect(await readTextAt(access, location)).toBe('{}');
    await deleteFileAt(access, location);
    await deleteFileAt(access, location);
    expect(await readTextAt(access, location)).toBeUndefined();
  });

  test('is created by only one of several writers, and a later write does not replace it', async () => {
    const location = at('claimed/batch.json');
    const texts = Array.from({ length: 6 }, (_, index) => `claim ${index}`);
    const ifNew = { ...access, onlyNew: true };
    const seen = await Promise.all(
      texts.map(async (text) => {
        await writeFileAt(ifNew, location, text);
        return readTextAt(access, location);
      }),
    );
    expect(texts).toContain(seen[0]);
    expect(new Set(seen).size).toBe(1);
    await writeFileAt(ifNew, location, 'late');
    expect(await readTextAt(access, location)).toBe(seen[0]);
  });

  test('larger than one part is streamed in several parts', async () => {
    const hash = createHash('sha256');
    const content = async function* (): AsyncGenerator<string> {
      for (let piece = 0; piece < 21; piece += 1) {
        const text = randomBytes(MIB / 2).toString('hex');
        hash.update(text);
        yield text;
      }
    };
    await writeFileAt(access, at('large.jsonl'), content());
    const facts = await s3.facts({ bucket: bucket.name, key: 'large.jsonl' });
    // S3 marks an object that came in three parts like this.
    expect([facts.bytes, facts.fingerprint]).toEqual([21 * MIB, expect.stringMatching(/-3"$/)]);
    expect(await sha256Of(at('large.jsonl'))).toBe(hash.digest('hex'));
  });

  test('keeps its old content, and no part of the new one, if the new content fails', async () => {
    await writeFileAt(access, at('kept.jsonl'), 'first');
    const content = async function* (): AsyncGenerator<string> {
      for (let piece = 0; piece < 17; piece += 1) yield ' '.repeat(MIB);
      throw new Error('the content broke');
    };
    await expect(writeFileAt(access, at('kept.jsonl'), content())).rejects.toThrow('the content broke');
    expect(await readTextAt(access, at('kept.jsonl'))).toBe('first');
    const client = sharedS3Client();
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    client.destroy();
    expect(Uploads).toEqual([]);
  });

  test('of our own in a missing bucket does not count as a missing source', async () => {
    const missing = { ...at('plan.json'), bucket: 'no-such-bucket' } as FileLocation;
    const failure = await failureOf(readTextAt(access, missing));
    expect([failure.code, failure.facts.field]).toEqual(['OutputFailed', 'output']);
    expect(failure.message).toContain('the bucket no-such-bucket does not exist');
  });

  test("in a bucket that is not allowed can't be written or read", async () => {
    const narrow = { ...access, s3: createS3({ ...bucket.settings, buckets: ['other'] }) };
    const failures = [
      await failureOf(writeFileAt(narrow, at('a'), 'text')),
      await failureOf(readTextAt(narrow, at('a'))),
    ];
    for (const { code, facts } of failures) {
      expect([code, facts.hint]).toEqual(['OutputFailed', expect.stringContaining('{s3Buckets}')]);
    }
  });
});

test('a prefix in S3 is listed beyond one page, in byte order of the keys, without its own folder marker', async () => {
  const folder = join(sharedS3().objectDir, bucket.name, 'many');
  await mkdir(folder);
  const names = Array.from({ length: 1_100 }, (_none, index) => `${String(index)}.mp4`);
  for (const name of names) await writeFile(join(folder, name), 'x');
  await bucket.put('many.txt', 'beside it');
  const found = await Array.fromAsync(listFilesAt(access, at('many')));
  const sorted = [...names].sort();
  expect(found).toMatchObject(sorted.map((name) => ({ name, bytes: 1, location: at(`many/${name}`) })));
  expect(await readdir(folder)).toHaveLength(names.length);
});
