import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { S3Source } from '../../api/upload/sources/source';
import { openTempFiles } from '../support/open-temp-files';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { useBucket } from '../support/s3-bucket';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const bucket = useBucket();
const on = useUploadFixture({ worker: false });
beforeAll(async () => {
  await on.fixture.startWorker({ s3: bucket.settings, roots: [] });
});

/** Stores an object of `parts` parts. */
async function putObject(
  { fixture }: { fixture: UploadFixture },
  name: string,
  parts: number,
): Promise<S3Source & { sha256: string }> {
  const file = await fixture.writeFile(name, parts);
  await bucket.put(`in/${name}`, await readFile(file.path));
  return { kind: 's3', bucket: bucket.name, key: `in/${name}`, sha256: file.sha256 };
}

describe('an upload whose source is in S3', () => {
  it('goes part by part from there to storage, without a temporary file', async () => {
    const { sha256, ...source } = await putObject(on, 'film.mp4', 2.5);
    on.fixture.simulator.fault('hold:part=2');
    const before = await openTempFiles();
    const handle = await on.fixture.start('', { source, media: { title: 'From S3' }, options: HELD });
    await on.fixture.simulator.waitFor(({ event }) => event === 'held');
    expect((await openTempFiles()).filter((path) => !before.includes(path))).toEqual([]);
    on.fixture.simulator.release();
    const result = await handle.result();
    expect(result).toMatchObject({ status: 'COMPLETED', bytes: 2.5 * PART_BYTES, fileType: 'MP4' });
    expect(result.parts.map(({ verified }) => verified)).toEqual([true, true, true]);
    expect(await on.fixture.simulator.objectSha256(on.fixture.session(result.uploadId).keyName)).toBe(sha256);
    const history = readableTexts(await recordedHistory(on.fixture.connection, handle.workflowId));
    expect(history).not.toContain('AWS4-HMAC-SHA256');
  });

  it('never becomes a mixed file if the object is overwritten meanwhile', async () => {
    const { fixture } = on;
    const { sha256: _sha256, ...source } = await putObject(on, 'changing.mp4', 2);
    const last = fixture.simulator.events().at(-1)?.seq ?? 0;
    fixture.simulator.fault('hold:part=1');
    const handle = await fixture.start('', { source, options: { ...HELD, concurrency: 1 } });
    await fixture.simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
    await bucket.put(source.key, randomBytes(2 * PART_BYTES));
    fixture.simulator.release();
    await expect(handle.result()).rejects.toMatchObject({
      code: 'SourceChanged',
      message: expect.stringContaining(`s3://${bucket.name}/in/changing.mp4`),
    });
  });

  it('ends before a session starts if the object does not exist', async () => {
    const { fixture } = on;
    const { starts } = fixture.simulator.seen();
    const source: S3Source = { kind: 's3', bucket: bucket.name, key: 'in/none.mp4' };
    await expect((await fixture.start('', { source })).result()).rejects.toMatchObject({
      code: 'SourceMissing',
      message: expect.stringContaining('does not exist'),
    });
    expect(fixture.simulator.seen().starts).toBe(starts);
  });

  it('is joined when it is started again, and refused when the key means another object', async () => {
    const { fixture } = on;
    const { sha256: _sha256, ...source } = await putObject(on, 'joined.mp4', 1);
    const first = await fixture.start('', { source, ingestKey: 'order-7' });
    await first.result();
    expect((await fixture.start('', { source, ingestKey: 'order-7' })).joined).toBe(true);
    const other = { ...source, key: 'in/film.mp4' };
    await expect(fixture.start('', { source: other, ingestKey: 'order-7' })).rejects.toMatchObject({
      code: 'InputDiffers',
    });
  });
});
