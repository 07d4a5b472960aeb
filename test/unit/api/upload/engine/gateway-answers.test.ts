import type { EarlierSession } from '../../../../../api/upload/types';
import { sourceIdentity } from '../../../../../api/upload/sources/source-rules';
import { pinSource } from '../../../../../files/sources/read-source';
import { openDirectFixture } from '../direct-fixture';
import type { DirectFixture } from '../direct-fixture';
import { failureOf } from '../failure-of';

let fixture: DirectFixture;
afterEach(() => fixture.close());

/** A file, and what an earlier run that completed it would remember. */
async function completedFile(): Promise<{ path: string; earlier: EarlierSession }> {
  fixture = await openDirectFixture();
  const { path } = await fixture.writeFile('film.mp4', 100_000);
  const { uploadId } = await fixture.upload(fixture.request(path));
  const pinned = await pinSource(fixture.access, fixture.request(path).source);
  const identity = sourceIdentity(pinned) ?? '';
  return { path, earlier: { uploadId, fileName: 'film.mp4', fileType: 'MP4', bytes: 100_000, identity } };
}

describe('an earlier session that is settled while something refuses to show it', () => {
  it.each([
    'session-404-html:1',
    'session-404-html:7',
    'session-400-html:7',
    'session-409-html:7',
    'session-409:7',
    'session-404:1',
    'session-400:1',
    'login-404-html:2',
  ])('finds it completed and uploads nothing again after %s', async (fault) => {
    const { path, earlier } = await completedFile();
    if (fault.startsWith('login')) fixture.simulator.expireTokens();
    fixture.simulator.fault(fault);
    expect(await fixture.upload(fixture.request(path, { earlier }))).toMatchObject({
      uploadId: earlier.uploadId,
      earlier: true,
      orphans: [],
    });
    const { starts, faults } = fixture.simulator.seen();
    expect({ starts, armed: faults.armed }).toEqual({ starts: 1, armed: [] });
  });

  it('uploads the file again if the service itself does not know the session, twice', async () => {
    const { path, earlier } = await completedFile();
    fixture.simulator.fault('session-404:2');
    const { orphans, uploadId } = await fixture.upload(fixture.request(path, { earlier }));
    expect(uploadId).not.toBe(earlier.uploadId);
    expect(orphans).toMatchObject([{ uploadId: earlier.uploadId }]);
  });

  it('fails rather than upload twice if a gateway answers for longer than an upload retries', async () => {
    const { path, earlier } = await completedFile();
    fixture.simulator.fault('session-404-html:always');
    const error = await failureOf(fixture.upload(fixture.request(path, { earlier }), { retryForMs: 1 }));
    expect(error).toMatchObject({ code: 'RequestRefused', facts: { status: 404 } });
    expect(error.facts.hint).toContain('answered in place of the service');
    expect(fixture.simulator.seen().starts).toBe(1);
  });
});
