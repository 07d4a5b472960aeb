import { describe, expect, it } from '@jest/globals';
import { HELD, useUploadFixture } from '../support/upload-fixture';

describe('URLs that expire during an upload', () => {
  describe('if the service can give more of them', () => {
    const on = useUploadFixture();

    it('are replaced, and no stored part is sent again', async () => {
      const { fixture } = on;
      fixture.simulator.fault('hold:part=2');
      const file = await fixture.writeFile('film.mp4', 4);
      const handle = await fixture.start(file.path, { options: { ...HELD, concurrency: 1 } });
      await fixture.simulator.waitFor(({ event }) => event === 'held');
      fixture.simulator.expireUrls();
      fixture.simulator.release();
      const result = await handle.result();
      const session = fixture.session(result.uploadId);
      expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
      expect(session.parts.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
      expect(fixture.simulator.seen()).toMatchObject({ starts: 1, requests: { urls: 2 } });
    });
  });

  describe('if the start gives only some of them', () => {
    const on = useUploadFixture({ simulator: { initialUrls: 1 } });

    it('are requested part by part', async () => {
      const { fixture } = on;
      const file = await fixture.writeFile('film.mp4', 3);
      const result = await (await fixture.start(file.path)).result();
      expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(
        file.sha256,
      );
      expect(fixture.simulator.seen().requests).toMatchObject({ start: 1, urls: 2 });
    });
  });

  describe("if the service can't give more of them", () => {
    const on = useUploadFixture({ additionalUrls: false });

    it('end the upload with an error that says how long they live and what would help; complete is never sent', async () => {
      const { fixture } = on;
      fixture.simulator.fault('put-403-expired:always');
      const file = await fixture.writeFile('film.mp4', 2);
      const handle = await fixture.start(file.path);
      const error = await handle.result().catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: 'UrlExpired',
        message: expect.stringContaining('valid for'),
        facts: {
          hint: expect.stringContaining('its parts stay'),
          remedy: { kind: 'renew-urls', why: 'expired' },
          details: { uploadId: fixture.session().uploadId },
        },
      });
      expect(fixture.simulator.seen()).toMatchObject({
        starts: 1,
        completesAccepted: 0,
        completesRefused: 0,
      });
      fixture.simulator.clearFaults();
    });

    it('start one new session with restartOnExpiry, and the result names the one that was left', async () => {
      const { fixture } = on;
      const left = fixture.simulator.seen().sessions.length;
      fixture.simulator.fault('put-403-expired');
      const file = await fixture.writeFile('again.mp4', 2);
      const handle = await fixture.start(file.path, { options: { restartOnExpiry: true, concurrency: 1 } });
      const result = await handle.result();
      const [orphan, session] = fixture.simulator.seen().sessions.slice(left);
      expect(result.uploadId).toBe(session?.uploadId);
      expect(result.orphans).toEqual([
        { uploadId: orphan?.uploadId, mediaId: orphan?.mediaId, reason: expect.stringContaining('expired') },
      ]);
      expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(file.sha256);
      expect(orphan).toMatchObject({ completesAccepted: 0 });
    });
  });
});
