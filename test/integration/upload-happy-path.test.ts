import { describe, expect, it } from '@jest/globals';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('an upload through Temporal', () => {
  it('shows its progress, and ends COMPLETED with the bytes of the source; each part is sent once', async () => {
    const { fixture } = on;
    fixture.simulator.fault('hold:part=2');
    const file = await fixture.writeFile('film.mp4', 4.3);
    const handle = await fixture.start(file.path, { options: HELD });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    expect(await handle.progress()).toMatchObject({
      phase: 'uploading',
      paused: false,
      fileName: 'film.mp4',
      bytesTotal: Math.floor(4.3 * PART_BYTES),
      partsTotal: 5,
      partsRunning: expect.arrayContaining([2]),
      uploadId: expect.any(String),
    });
    fixture.simulator.release();
    const result = await handle.result();
    const session = fixture.session(result.uploadId);
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
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
    expect(fixture.simulator.seen().bearerToStorage).toEqual([]);
    const description = await fixture.connection.client.workflow.getHandle(handle.workflowId).describe();
    expect(description.memo).toMatchObject({
      label: 'film.mp4',
      uploadId: result.uploadId,
      mediaId: result.mediaId,
    });
    expect(await description.staticSummary()).toBe(`Upload film.mp4 to ${fixture.account.externalId}`);
  });
});
