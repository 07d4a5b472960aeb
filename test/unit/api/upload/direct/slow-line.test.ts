import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDirectFixture, type DirectFixture } from '../direct-fixture';

const PART_BYTES = 16 * 1024 * 1024;
/** The system's buffers on loopback take it whole. */
const BUFFERED_BYTES = 3 * 1024 * 1024;
/** Too slow for four parts at once, not for two. The system's buffers are a small share of it. */
const LINE = 8_000_000;
const LIMITS = { minimumThroughput: 3_000_000, stallMs: 1_000 };

let fixture: DirectFixture;
beforeEach(async () => {
  fixture = await openDirectFixture();
});
afterEach(() => fixture.close());

describe('a steady line on which four parts at once are too slow', () => {
  it('carries the file, because the upload goes down to fewer parts at once', async () => {
    const { path, sha256 } = await fixture.writeFile('film.mp4', 4 * PART_BYTES);
    fixture.simulator.fault(`put-slow-line:always:rate=${LINE}`);
    const failures: string[] = [];
    const { uploadId } = await fixture.upload(
      fixture.request(path, { options: { partBytes: PART_BYTES, concurrency: 4, ...LIMITS } }),
      // After five tries, a part is given up.
      { retryForMs: 1, onPartRetry: (_part, { code }) => failures.push(code) },
    );
    const session = fixture.simulator.seen().sessions.find((one) => one.uploadId === uploadId);
    expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
    expect(new Set(failures)).toEqual(new Set(['PartStalled']));
  });
});

describe('a slow line whose buffers take whole parts at once', () => {
  it('carries the file: parts go one at a time, and storage may answer late', async () => {
    const { path, sha256 } = await fixture.writeFile('film.mp4', 2 * BUFFERED_BYTES);
    fixture.simulator.fault('put-slow-line:always:rate=700000');
    const failures: string[] = [];
    const options = { partBytes: BUFFERED_BYTES, concurrency: 2, minimumThroughput: 400_000, stallMs: 800 };
    const { uploadId } = await fixture.upload(fixture.request(path, { options }), {
      retryForMs: 1,
      onPartRetry: (_part, { code }) => failures.push(code),
    });
    const session = fixture.simulator.seen().sessions.find((one) => one.uploadId === uploadId);
    expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
    expect(failures.length).toBeGreaterThan(0);
  });
});
