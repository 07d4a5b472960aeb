import { afterTest } from '../../../../support/after-test';
import { openDirectFixture } from '../direct-fixture';

/** The system's buffers on loopback take it whole. */
const BUFFERED_BYTES = 3 * 1024 * 1024;

it('a slow line whose buffers take whole parts at once carries the file: parts go one at a time, and storage may answer late', async () => {
  const fixture = await openDirectFixture();
  afterTest(() => fixture.close());
  const { path, sha256 } = await fixture.writeFile('film.mp4', 2 * BUFFERED_BYTES);
  fixture.simulator.fault('put-slow-line:always:rate=700000');
  const failures: string[] = [];
  const options = { partBytes: BUFFERED_BYTES, concurrency: 2, stallMs: 800 };
  const { uploadId } = await fixture.upload(fixture.request(path, { options }), {
    retryForMs: 1,
    onPartRetry: (_part, { code }) => failures.push(code),
  });
  const session = fixture.simulator.seen().sessions.find((one) => one.uploadId === uploadId);
  expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
  expect(failures.length).toBeGreaterThan(0);
});
