import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { connectTemporal } from '../../temporal/client/connect';
import { openUpload } from '../../temporal/client/open-upload';
import { startUpload } from '../../temporal/client/start-upload';
import { secretsIn } from '../support/canary';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { sharedTemporal } from '../support/servers';
import { requestOf, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const key = (): string => randomBytes(32).toString('base64');

describe('an upload with codec keys', () => {
  it("hides title, tags and file name from Temporal; a reader without the key gets only the key's ID", async () => {
    const { fixture } = on;
    const codecKeys = `k1:${key()}`;
    const temporal = { ...sharedTemporal(), codecKeys };
    await fixture.startWorker({ temporal });
    const file = await fixture.writeFile('hidden-name.mp4', 1);
    const connection = await connectTemporal(temporal);
    const outsider = await connectTemporal({ ...temporal, codecKeys: `k2:${key()}` });
    try {
      const media = { title: 'hidden-title', fileType: 'MP4', tags: { campaign: 'hidden-tag' } };
      const request = requestOf(file.path, { media });
      const handle = await startUpload(connection, {
        account: fixture.account,
        queuePrefix: fixture.queuePrefix,
        request,
      });
      const result = await handle.result();
      expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(
        file.sha256,
      );
      expect((await handle.progress()).fileName).toBe('hidden-name.mp4');
      const history = readableTexts(await recordedHistory(fixture.connection, handle.workflowId));
      expect(secretsIn(history, ['hidden-title', 'hidden-tag', 'hidden-name'])).toEqual([]);
      expect(history).toContain('binary/encrypted');
      await expect(openUpload(outsider, handle.workflowId).result()).rejects.toThrow('"k1"');
    } finally {
      await Promise.all([connection.close(), outsider.close()]);
    }
  });
});
