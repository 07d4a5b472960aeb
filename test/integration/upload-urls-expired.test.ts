import { describe, expect, it } from '@jest/globals';
import { HELD, useUploadBed } from '../support/upload-bed';

describe('URLs that expire in mid-upload', () => {
  describe('where more can be asked for', () => {
    const on = useUploadBed();

    it('are replaced, and no part that was stored is sent again', async () => {
      const { bed } = on;
      bed.simulator.fault('hold:part=2');
      const file = await bed.writeFile('film.mp4', 4);
      const handle = await bed.start(file.path, { options: { ...HELD, concurrency: 1 } });
      await bed.simulator.waitFor(({ event }) => event === 'held');
      bed.simulator.expireUrls();
      bed.simulator.release();
      const result = await handle.result();
      const session = bed.session(result.uploadId);
      expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
      expect(session.parts.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
      expect(bed.simulator.seen()).toMatchObject({ starts: 1, requests: { urls: 2 } });
    });
  });

  describe('where start gives only some of them', () => {
    const on = useUploadBed({ simulator: { initialUrls: 1 } });

    it('the missing ones are asked for, part by part', async () => {
      const { bed } = on;
      const file = await bed.writeFile('film.mp4', 3);
      const result = await (await bed.start(file.path)).result();
      expect(await bed.simulator.objectSha256(bed.session(result.uploadId).keyName)).toBe(file.sha256);
      expect(bed.simulator.seen().requests).toMatchObject({ start: 1, urls: 2 });
    });
  });

  describe('where no more can be asked for', () => {
    const on = useUploadBed({ additionalUrls: false });

    it('end the upload with an error that says how long they live and what would help; complete is never sent', async () => {
      const { bed } = on;
      bed.simulator.fault('put-403-expired:always');
      const file = await bed.writeFile('film.mp4', 2);
      const handle = await bed.start(file.path);
      const error = await handle.result().catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: 'UrlExpired',
        message: expect.stringContaining('lives for'),
        facts: {
          hint: expect.stringMatching(/additional pre-signed URLs.*restartOnExpiry.*stay/s),
          details: { uploadId: bed.session().uploadId },
        },
      });
      expect(bed.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 0, completesRefused: 0 });
      bed.simulator.clearFaults();
    });

    it('with restartOnExpiry start one new session, and the result names the one that was left', async () => {
      const { bed } = on;
      const left = bed.simulator.seen().sessions.length;
      bed.simulator.fault('put-403-expired');
      const file = await bed.writeFile('again.mp4', 2);
      const handle = await bed.start(file.path, { options: { restartOnExpiry: true, concurrency: 1 } });
      const result = await handle.result();
      const [orphan, session] = bed.simulator.seen().sessions.slice(left);
      expect(result.uploadId).toBe(session?.uploadId);
      expect(result.orphans).toEqual([
        { uploadId: orphan?.uploadId, mediaId: orphan?.mediaId, reason: expect.stringContaining('expired') },
      ]);
      expect(await bed.simulator.objectSha256(session?.keyName ?? '')).toBe(file.sha256);
      expect(orphan).toMatchObject({ completesAccepted: 0 });
    });
  });
});
