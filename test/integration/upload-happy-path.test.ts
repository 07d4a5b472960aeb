import { describe, expect, it } from '@jest/globals';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { HELD, MIB, PART_BYTES, useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();

describe('an upload through Temporal', () => {
  it('ends COMPLETED with the bytes of the source, and each part is sent once', async () => {
    const { fixture } = on;
    const file = await fixture.writeFile('film.mp4', 4.3);
    const handle = await fixture.start(file.path);
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
  });

  it('shows its progress while it runs and after it', async () => {
    const { fixture } = on;
    fixture.simulator.fault('hold:part=2');
    const file = await fixture.writeFile('seen.mp4', 2);
    const handle = await fixture.start(file.path, { options: HELD });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    expect(await handle.progress()).toMatchObject({
      phase: 'uploading',
      paused: false,
      fileName: 'seen.mp4',
      bytesTotal: 2 * PART_BYTES,
      partsTotal: 2,
      partsRunning: expect.arrayContaining([2]),
      uploadId: expect.any(String),
    });
    fixture.simulator.release();
    const result = await handle.result();
    const description = await fixture.connection.client.workflow.getHandle(handle.workflowId).describe();
    expect(description.memo).toMatchObject({
      label: 'seen.mp4',
      uploadId: result.uploadId,
      mediaId: result.mediaId,
    });
    expect(await description.staticSummary()).toBe(`Upload seen.mp4 to ${fixture.account.externalId}`);
  });

  it('can run beside others, and each ends with its own bytes', async () => {
    const { fixture } = on;
    const startsBefore = fixture.simulator.seen().starts;
    const files = await Promise.all(['a', 'b', 'c'].map((name) => fixture.writeFile(`${name}.mp4`, 2.5)));
    const handles: UploadHandle[] = await Promise.all(files.map(({ path }) => fixture.start(path)));
    const results = await Promise.all(handles.map((handle) => handle.result()));
    const hashes = await Promise.all(
      results.map(({ uploadId }) => fixture.simulator.objectSha256(fixture.session(uploadId).keyName)),
    );
    expect(hashes).toEqual(files.map(({ sha256 }) => sha256));
    expect(fixture.simulator.seen().starts - startsBefore).toBe(3);
  });

  it('reads its bytes from a URL with Range as well', async () => {
    const { fixture } = on;
    const file = await fixture.writeFile('remote.mp4', 2.2);
    const source = await fixture.serveFile(file.path);
    const handle = await fixture.start('', { source });
    const result = await handle.result();
    expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(file.sha256);
    expect(result.fileName).toBe('remote.mp4');
  });

  it('sends as many parts at once as it is asked to, even if each is a group of its own', async () => {
    const { fixture } = on;
    const [partMib, concurrency] = [35, 4];
    const from = fixture.simulator.events().length;
    fixture.simulator.fault(`hold:${concurrency}`);
    const file = await fixture.writeFile('large-parts.mp4', (concurrency * partMib * MIB) / PART_BYTES);
    const options = { ...HELD, partBytes: partMib * MIB, concurrency };
    const handle = await fixture.start(file.path, { options });
    await until(
      'all parts are held',
      () => fixture.simulator.events().filter(({ event, seq }) => event === 'held' && seq > from).length,
      (held) => held === concurrency,
      { limitMs: 60_000 },
    );
    fixture.simulator.release();
    const { uploadId, retries } = await handle.result();
    expect(retries).toBe(0);
    expect(await fixture.simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(file.sha256);
  });
});
