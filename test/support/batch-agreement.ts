import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ResultLine } from '../../temporal/batch/types';
import type { BatchRow } from './batch-fixture';
import type { UploadFixture } from './upload-fixture';

/**
 * Every completed result line is one completed session at the service. Its object in storage is byte for byte the row's
 * file. There is no other completed session. `lostWorker`: rows may have been completed by a worker that could not tell
 * their ETags any more.
 */
export async function expectAgreement(
  { simulator, session }: UploadFixture,
  rows: readonly BatchRow[],
  lines: readonly ResultLine[],
  { lostWorker = false } = {},
): Promise<void> {
  const files = new Map(rows.map(({ id, source }) => [id, source]));
  const completed = lines.filter(({ status }) => status === 'COMPLETED');
  for (const { id, uploadId, bytes, eTags, fileType, attempts, joined } of completed) {
    const seen = session(uploadId);
    expect(seen).toMatchObject({ title: `Film ${id}`, status: 'COMPLETED', completesAccepted: 1 });
    const file = await readFile(files.get(id) ?? '');
    const sha256 = createHash('sha256').update(file).digest('hex');
    expect(await simulator.objectSha256(seen.keyName)).toBe(sha256);
    expect({ bytes, fileType }).toEqual({ bytes: file.byteLength, fileType: 'MP4' });
    // ETags are only missing if an earlier attempt of the row, or of its page, completed the session.
    if (eTags === undefined) expect(lostWorker || attempts > 1 || joined).toBe(true);
    else expect(eTags).toEqual(seen.parts.map(({ eTag }) => eTag));
  }
  const { sessions, completesAccepted } = simulator.seen();
  const atService = sessions.filter(({ status }) => status === 'COMPLETED').map(({ uploadId }) => uploadId);
  expect(atService.sort()).toEqual(completed.map(({ uploadId }) => uploadId ?? '').sort());
  expect(completesAccepted).toBe(completed.length);
}
