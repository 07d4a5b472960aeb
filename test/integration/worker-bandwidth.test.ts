import { describe, expect, it } from '@jest/globals';
import { MIB, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

describe('a worker with a bandwidth limit', () => {
  it('sends every part once, although each waits longer for bandwidth than a stall or heartbeat may last', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ bandwidth: MIB });
    const file = await fixture.writeFile('paced.mp4', 3);
    const options = { concurrency: 3, stallMs: 8_000, heartbeatMs: 10_000 };
    const result = await (await fixture.start(file.path, { options })).result();
    await stop();
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    const longest = Math.max(...result.parts.map(({ ms }) => ms));
    // All three need 15 s together, and the last may have begun a moment after the first.
    expect(longest).toBeGreaterThan(options.heartbeatMs);
    expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(file.sha256);
  });

  it('requeues parts that would be too slow, and they are sent when there is bandwidth', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ bandwidth: MIB });
    const file = await fixture.writeFile('crowded.mp4', 2);
    const options = { concurrency: 2, minimumThroughput: 400 * 1024, bytesPerSecond: MIB };
    const result = await (await fixture.start(file.path, { options })).result();
    await stop();
    const { parts } = fixture.session(result.uploadId);
    expect(parts.map(({ puts }) => puts)).toEqual([1, 1]);
    expect(result.parts.some(({ attempts }) => attempts > 1)).toBe(true);
  });
});
