import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createS3 } from '../../api/s3/s3-client';
import { loadS3Client, loadS3Upload } from '../../api/s3/s3-library';
import type { PlaceAccess } from '../../places/place-access';
import type { Place } from '../../places/place';
import {
  createPlace,
  deletePlace,
  hasPlace,
  listPlaces,
  readPlace,
  readPlaceText,
  writePlace,
} from '../../places/places';
import { useBucket } from '../support/s3-bucket';
import { sharedS3 } from '../support/servers';
import { failureOf } from '../unit/api/upload/failure-of';

const MIB = 1024 * 1024;

const bucket = useBucket();
const s3 = createS3(bucket.settings);
const access: PlaceAccess = { outputRoots: [], roots: [], s3 };
beforeAll(() => Promise.all([loadS3Client(), loadS3Upload()]));
afterAll(() => s3.close());

function at(key: string): Place {
  return { kind: 's3', bucket: bucket.name, key };
}

async function sha256Of(place: Place): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readPlace(access, place)) hash.update(chunk);
  return hash.digest('hex');
}

describe('a place in S3', () => {
  test('is written, read, found and deleted', async () => {
    const place = at('batch/plan.json');
    expect([await hasPlace(access, place), await readPlaceText(access, place)]).toEqual([false, undefined]);
    await writePlace(access, place, '{"ü":1}');
    expect([await hasPlace(access, place), await readPlaceText(access, place)]).toEqual([true, '{"ü":1}']);
    expect((await s3.facts({ bucket: bucket.name, key: 'batch/plan.json' })).mimeType).toBe(
      'application/json',
    );
    await writePlace(access, place, '{}');
    expect(await readPlaceText(access, place)).toBe('{}');
    await deletePlace(access, place);
    await deletePlace(access, place);
    expect(await hasPlace(access, place)).toBe(false);
  });

  test('is created by one of several that do so at once, and stays where another comes', async () => {
    const place = at('claimed/batch.json');
    const texts = Array.from({ length: 6 }, (_, index) => `claim ${index}`);
    const created = await Promise.all(texts.map((text) => createPlace(access, place, text)));
    expect(created.filter((isNew) => isNew)).toHaveLength(1);
    expect(await createPlace(access, place, 'late')).toBe(false);
    expect(await readPlaceText(access, place)).toBe(texts[created.indexOf(true)]);
  });

  test('may be empty', async () => {
    await writePlace(access, at('empty.csv'), '');
    expect(await readPlaceText(access, at('empty.csv'))).toBe('');
  });

  test('larger than one part is streamed in several', async () => {
    const hash = createHash('sha256');
    const content = async function* (): AsyncGenerator<Uint8Array> {
      for (let piece = 0; piece < 21; piece += 1) {
        const bytes = randomBytes(MIB);
        hash.update(bytes);
        yield bytes;
      }
    };
    await writePlace(access, at('large.jsonl'), content());
    const facts = await s3.facts({ bucket: bucket.name, key: 'large.jsonl' });
    // As S3 marks what came in three parts.
    expect([facts.bytes, facts.eTag]).toEqual([21 * MIB, expect.stringMatching(/-3"$/)]);
    expect(await sha256Of(at('large.jsonl'))).toBe(hash.digest('hex'));
  });

  test('whose content fails keeps what was there before, and no part of the new one', async () => {
    await writePlace(access, at('kept.jsonl'), 'first');
    const content = async function* (): AsyncGenerator<Uint8Array> {
      for (let piece = 0; piece < 17; piece += 1) yield Buffer.alloc(MIB);
      throw new Error('the content broke');
    };
    await expect(writePlace(access, at('kept.jsonl'), content())).rejects.toThrow('the content broke');
    expect(await readPlaceText(access, at('kept.jsonl'))).toBe('first');
    expect(await partsLeftIn(bucket.name)).toEqual([]);
  });

  test('in a bucket that is not there cannot be written, and says so', async () => {
    const failure = await failureOf(
      writePlace(access, { ...at('a'), bucket: 'no-such-bucket' } as Place, 'text'),
    );
    expect(failure.code).toBe('OutputFailed');
    expect(failure.message).toContain('the bucket no-such-bucket does not exist');
  });

  test('in a bucket that is not allowed is not written', async () => {
    const narrow = { ...access, s3: createS3({ ...bucket.settings, buckets: ['other'] }) };
    const failure = await failureOf(writePlace(narrow, at('a'), 'text'));
    expect([failure.code, failure.facts.hint]).toEqual([
      'OutputFailed',
      expect.stringContaining('MEDIA_SERVICE_S3_BUCKETS'),
    ]);
  });
});

describe('a prefix in S3', () => {
  test('is listed beyond one page, by the bytes of the keys, without its own mark', async () => {
    const folder = join(sharedS3().objectDir, bucket.name, 'many');
    await mkdir(folder);
    const names = Array.from({ length: 1_100 }, (_none, index) => `${String(index)}.mp4`);
    for (const name of names) await writeFile(join(folder, name), 'x');
    await bucket.put('many.txt', 'beside it');
    const found: string[] = [];
    for await (const { name, bytes, place } of listPlaces(access, at('many'))) {
      expect([bytes, place]).toEqual([1, at(`many/${name}`)]);
      found.push(name);
    }
    expect(found).toEqual([...names].sort());
    expect(await readdir(folder)).toHaveLength(names.length);
  });

  test('is narrowed by the start of names; one that is not there holds nothing', async () => {
    const found: string[] = [];
    for await (const { name } of listPlaces(access, at('many'), { nameStart: '109' })) found.push(name);
    for await (const { name } of listPlaces(access, at('none'))) found.push(name);
    expect(found).toEqual([
      '109.mp4',
      ...Array.from({ length: 10 }, (_none, digit) => `109${String(digit)}.mp4`),
    ]);
  });
});

async function partsLeftIn(name: string): Promise<unknown[]> {
  const { S3Client, ListMultipartUploadsCommand } = await loadS3Client();
  const client = new S3Client({ ...bucket.settings, forcePathStyle: true });
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: name }));
  client.destroy();
  return Uploads;
}
