import { randomBytes } from 'node:crypto';
import { connectTemporal } from '../../temporal/client/connect';
import { openUpload } from '../../temporal/upload/client/open-upload';
import { startUpload } from '../../temporal/upload/client/start-upload';
import { afterTest } from '../support/after-test';
import { secretsIn } from '../support/canary';
import { commandEnv, linesOf, runCommand, startCommand } from '../support/command';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { sharedTemporal } from '../support/servers';
import { requestOf, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const newKey = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const codecKeys = newKey('k1');

it('a codec key that only the command line has is named by --wait, and neither list nor cancel --all need it', async () => {
  const { fixture } = on;
  const stop = await fixture.startWorker();
  await fixture.writeFile('film.mp4', 1);
  const plain = { cwd: fixture.folder, env: commandEnv(fixture) };
  const keyed = { ...plain, env: { ...plain.env, MEDIA_SERVICE_CODEC_KEY: codecKeys } };
  const waiting = startCommand(['upload', 'film.mp4', '--wait'], keyed);
  await waiting.until("film.mp4: Waiting: The workers can't run upload/");
  await waiting.until('Give the workers the codec keys of the program that started it.');
  const list = linesOf(await runCommand(['uploads', 'list', '--json'], plain));
  const label = '(encrypted with the codec key k1)';
  expect(list).toEqual([expect.objectContaining({ label, unreadable: 'k1' })]);
  expect(await runCommand(['uploads', 'cancel', '--all'], plain)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('cancel requested'),
  });
  waiting.signal('SIGTERM');
  await waiting.ended;
  await fixture.connection.lister.workflow.getHandle(String(list[0]?.['workflowId'])).terminate();
  await stop();
});

it("an upload with codec keys hides title, tags and file name from Temporal; a reader without the key gets only the key's ID", async () => {
  const { fixture } = on;
  const temporal = { ...sharedTemporal(), codecKeys };
  await fixture.startWorker({ temporal });
  const file = await fixture.writeFile('hidden-name.mp4', 1);
  const connection = await connectTemporal(temporal);
  afterTest(() => connection.close());
  const outsider = await connectTemporal({ ...temporal, codecKeys: newKey('k2') });
  afterTest(() => outsider.close());
  const media = { title: 'hidden-title', fileType: 'MP4', tags: { campaign: 'hidden-tag' } };
  const { account, queuePrefix } = fixture;
  const request = requestOf(file.path, { media });
  const handle = await startUpload(connection, { account, queuePrefix, request });
  const { uploadId } = await handle.result();
  expect(await fixture.storedSha256(uploadId)).toBe(file.sha256);
  expect((await handle.progress()).fileName).toBe('hidden-name.mp4');
  const history = readableTexts(await recordedHistory(fixture.connection, handle.workflowId));
  expect(secretsIn(history, ['hidden-title', 'hidden-tag', 'hidden-name'])).toEqual([]);
  expect(history).toContain('binary/encrypted');
  await expect(openUpload(outsider, handle.workflowId).result()).rejects.toThrow('"k1"');
});
