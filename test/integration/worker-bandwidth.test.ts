import { describe, expect, it } from '@jest/globals';
import { MIB, useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });

describe('a worker with a bandwidth limit', () => {
  it('sends every part once, although each waits longer for bandwidth than a stall or a heartbeat may last', async () => {
    const { bed } = on;
    const stop = await bed.startWorker({ bandwidth: MIB });
    const file = await bed.writeFile('paced.mp4', 3);
    const options = { concurrency: 3, stallMs: 8_000, heartbeatMs: 10_000 };
    const result = await (await bed.start(file.path, { options })).result();
    await stop();
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    const longest = Math.max(...result.parts.map(({ ms }) => ms));
    // All three need 15 s together; the last to begin may have begun a moment after the first.
    expect(longest).toBeGreaterThan(options.heartbeatMs);
    expect(await bed.simulator.objectSha256(bed.session(result.uploadId).keyName)).toBe(file.sha256);
  });

  it('gives parts back that could only crawl, and they are sent when there is room', async () => {
    const { bed } = on;
    const stop = await bed.startWorker({ bandwidth: MIB });
    const file = await bed.writeFile('crowded.mp4', 2);
    const options = { concurrency: 2, minimumThroughput: 400 * 1024, bytesPerSecond: MIB };
    const result = await (await bed.start(file.path, { options })).result();
    await stop();
    const { parts } = bed.session(result.uploadId);
    expect(parts.map(({ puts }) => puts)).toEqual([1, 1]);
    expect(result.parts.some(({ attempts }) => attempts > 1)).toBe(true);
  });
});
