import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { SourceDescriptor } from '../../../../api/upload/sources/source';
import { uploadWarnings } from '../../../../cli/commands/upload';
import { useTempDir } from '../../../support/use-temp-dir';

const temp = useTempDir('upload-warnings');

const web = (url: string): SourceDescriptor => ({ kind: 'http', url, label: '' });
const OUTSIDE = 'is outside of the folders that a worker with these settings reads';
const PRIVATE = 'points to this machine or a private network';

test.each<[label: string, source: SourceDescriptor, message: string | undefined]>([
  ['in a folder that no worker started here reads', { kind: 'path', path: '/srv/a.mp4', host: 'h' }, OUTSIDE],
  ['that every worker mounts', { kind: 'path', path: '/srv/a.mp4' }, undefined],
  ['in S3', { kind: 's3', bucket: 'incoming', key: 'a.mp4' }, undefined],
  ['at a public address', web('https://203.0.113.7/a.mp4'), undefined],
  ['on this machine', web('http://127.0.0.1:81/a.mp4?X-Amz-Signature=hush'), PRIVATE],
  ['on a host that is named in the settings', web('http://127.0.0.1:80/a.mp4'), undefined],
  ['of a metadata service', web('http://169.254.169.254/a.mp4'), 'a metadata service'],
])('a source %s', async (_label, source, message) => {
  const settings = { sourceHosts: ['127.0.0.1:80'] };
  const warnings = await uploadWarnings([source], { settings, cwd: temp.path });
  expect(warnings.map((warning) => warning.message)).toEqual(
    message === undefined ? [] : [expect.stringContaining(message)],
  );
  expect(JSON.stringify(warnings)).not.toContain('hush');
});

test('a warning that several sources share is printed once', async () => {
  const sources = ['a', 'b'].map((name) => ({ kind: 'path', path: `/srv/${name}.mp4`, host: 'h' }) as const);
  const own = { kind: 'path', path: join(temp.path, 'a.mp4'), host: 'h' } as const;
  const started = { settings: { sourceHosts: [] }, cwd: temp.path };
  expect(await uploadWarnings([own, ...sources], started)).toHaveLength(1);
});
