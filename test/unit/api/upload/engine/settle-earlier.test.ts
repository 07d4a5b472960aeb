import { failureOf } from '../failure-of';
import { failure, PART_BYTES, sessionOf } from '../fake-steps';
import { BYTES, continued, EARLIER } from './continued';

const GONE = { pinSource: () => Promise.reject(failure('SourceMissing', { outcome: 'unsent' })) };

describe('an upload whose earlier run left a session', () => {
  it('returns the result of a completed session and sends nothing', async () => {
    const fileUrl = 'https://files.example.com/film.mp4';
    const { upload, steps } = continued({ reads: sessionOf('COMPLETED', { uploadId: 'upload-0', fileUrl }) });
    expect(await upload()).toMatchObject({
      ...{ uploadId: 'upload-0', mediaId: 'media-0', status: 'COMPLETED', earlier: true, orphans: [] },
      ...{ fileUrl, fileName: 'film.mp4', bytes: BYTES },
    });
    expect(steps.calls).toEqual(['pin', 'read', 'release']);
  });

  it('says that a start without an answer was not searched for, if it needs no other', async () => {
    const { upload } = continued({ reads: 'COMPLETED', startPending: true });
    expect((await upload()).orphansVerifiable).toBe(false);
  });

  it('waits for the end of a session that the service is still processing', async () => {
    const { upload, steps } = continued({ reads: 'PENDING_COMPLETE' });
    expect(await upload()).toMatchObject({ uploadId: 'upload-0', earlier: true });
    expect(steps.calls).toEqual(['pin', 'read', 'poll', 'release']);
  });

  it('after a FAILED session sends parts of the size that it asks for itself', async () => {
    const { upload, sent } = continued({ reads: 'FAILED', options: { partBytes: 2 * PART_BYTES } });
    expect((await upload()).earlier).toBeUndefined();
    expect(sent).toEqual(['upload-1 1 2', 'upload-1 2 1']);
  });

  it('uploads other content without reading the session', async () => {
    const { upload, steps } = continued({ reads: 'COMPLETED', identity: `s3;bytes=${BYTES};etag="b"` });
    expect(await upload()).toMatchObject({ uploadId: 'upload-1', orphans: [] });
    expect(steps.calls).not.toContain('read');
  });

  it('returns the result of a completed session even if the file is gone', async () => {
    const { upload } = continued({ reads: 'COMPLETED', steps: GONE });
    expect(await upload()).toMatchObject({ uploadId: 'upload-0', fileName: 'film.mp4', earlier: true });
  });

  it('fails for a missing file if the session was never completed, and names the session', async () => {
    const error = await failureOf(continued({ steps: GONE }).upload());
    expect(error.code).toBe('SourceMissing');
    expect(error.facts.details?.['orphans']).toContain(EARLIER.uploadId);
  });
});
