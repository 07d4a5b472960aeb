import { describe, expect, it } from '@jest/globals';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { HELD, PART_BYTES, useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('an upload through Temporal', () => {
  it('ends COMPLETED with a file that is byte for byte the source, each part sent once', async () => {
    const { bed } = on;
    const file = await bed.writeFile('film.mp4', 4.3);
    const handle = await bed.start(file.path);
    const result = await handle.result();
    const session = bed.session(result.uploadId);
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    expect(result).toMatchObject({
      mediaId: session.mediaId,
      status: 'COMPLETED',
      fileName: 'film.mp4',
      fileType: 'MP4',
      bytes: Math.floor(4.3 * PART_BYTES),
      retries: 0,
      orphans: [],
      orphansVerifiable: true,
    });
    expect(
      result.parts.map(({ partNumber, verified, attempts }) => [partNumber, verified, attempts]),
    ).toEqual([1, 2, 3, 4, 5].map((partNumber) => [partNumber, true, 1]));
    expect(session.parts.map(({ eTag, puts }) => [eTag, puts])).toEqual(
      result.parts.map(({ eTag }) => [eTag, 1]),
    );
    expect(session).toMatchObject({ completesAccepted: 1, completesRefused: 0, status: 'COMPLETED' });
    expect(bed.simulator.seen().bearerToStorage).toEqual([]);
  });

  it('shows its progress while it runs and after it', async () => {
    const { bed } = on;
    bed.simulator.fault('hold:part=2');
    const file = await bed.writeFile('seen.mp4', 2);
    const handle = await bed.start(file.path, { options: HELD });
    await bed.simulator.waitFor(({ event }) => event === 'held');
    expect(await handle.progress()).toMatchObject({
      phase: 'uploading',
      paused: false,
      fileName: 'seen.mp4',
      bytesTotal: 2 * PART_BYTES,
      partsTotal: 2,
      partsRunning: expect.arrayContaining([2]),
      uploadId: expect.any(String),
    });
    bed.simulator.release();
    const result = await handle.result();
    const description = await bed.connection.client.workflow.getHandle(handle.workflowId).describe();
    expect(description.memo).toMatchObject({
      label: 'seen.mp4',
      uploadId: result.uploadId,
      mediaId: result.mediaId,
    });
    expect(await description.staticSummary()).toBe(`Upload seen.mp4 to ${bed.account.externalId}`);
  });

  it('runs beside others, and each ends with its own bytes', async () => {
    const { bed } = on;
    const startsBefore = bed.simulator.seen().starts;
    const files = await Promise.all(['a', 'b', 'c'].map((name) => bed.writeFile(`${name}.mp4`, 2.5)));
    const handles: UploadHandle[] = await Promise.all(files.map(({ path }) => bed.start(path)));
    const results = await Promise.all(handles.map((handle) => handle.result()));
    const hashes = await Promise.all(
      results.map(({ uploadId }) => bed.simulator.objectSha256(bed.session(uploadId).keyName)),
    );
    expect(hashes).toEqual(files.map(({ sha256 }) => sha256));
    expect(bed.simulator.seen().starts - startsBefore).toBe(3);
  });

  it('takes its bytes from a URL with Range as well', async () => {
    const { bed } = on;
    const file = await bed.writeFile('remote.mp4', 2.2);
    const source = await bed.serveFile(file.path);
    const handle = await bed.start('', { source });
    const result = await handle.result();
    expect(await bed.simulator.objectSha256(bed.session(result.uploadId).keyName)).toBe(file.sha256);
    expect(result.fileName).toBe('remote.mp4');
  });
});
