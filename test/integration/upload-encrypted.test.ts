import { randomBytes } from 'node:crypto';
import { connectTemporal } from '../../temporal/client/connect';
import { openUpload } from '../../temporal/upload/client/open-upload';
import { startUpload } from '../../temporal/upload/client/start-upload';
import { secretsIn } from '../support/canary';
import { commandEnv, linesOf, runCommand, startCommand } from '../support/command';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { sharedTemporal } from '../support/servers';
import { openUploadFixture, requestOf, useUploadFixture } from '../support/upload-fixture';

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

describe('a codec key that only the command line has', () => {
  it('is named by --wait, and neither list nor cancel --all need it', async () => {
    const fixture = await openUploadFixture();
    try {
      await fixture.startWorker();
      await fixture.writeFile('film.mp4', 1);
      const plain = { cwd: fixture.folder, env: commandEnv(fixture) };
      const keyed = { ...plain, env: { ...plain.env, MEDIA_SERVICE_CODEC_KEY: `k1:${key()}` } };
      const waiting = startCommand(['upload', 'film.mp4', '--wait'], keyed);
      await waiting.until("film.mp4: Waiting: The workers can't run upload/");
      await waiting.until('Give the workers the codec keys of the program that started it.');
      const list = await runCommand(['uploads', 'list', '--json'], plain);
      expect(linesOf(list)).toEqual([
        expect.objectContaining({ label: '(encrypted with the codec key k1)', unreadable: 'k1' }),
      ]);
      expect(await runCommand(['uploads', 'cancel', '--all'], plain)).toMatchObject({
        exit: 0,
        stdout: expect.stringContaining('cancel requested'),
      });
      waiting.signal('SIGTERM');
      await waiting.ended;
      const { lister } = fixture.connection;
      for await (const { workflowId } of lister.workflow.list({
        query: `TaskQueue = "${fixture.queuePrefix}.${fixture.accountId}"`,
      }))
        await lister.workflow.getHandle(workflowId).terminate();
    } finally {
      await fixture.close();
    }
  });
});
