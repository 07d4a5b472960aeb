import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { spoolOfN8n } from '../../../settings/n8n-spool';
import { tempFolder } from '../../support/after-test';

let home: string;
beforeEach(async () => {
  home = await tempFolder('home');
});

const around = (env: Record<string, string> = {}): Parameters<typeof spoolOfN8n>[1] => ({
  env,
  temporary: '/tmp',
  uid: 1000,
});

describe('the spool folder of n8n', () => {
  test('is the configured one, without a check', () => {
    expect(spoolOfN8n({ spoolDir: '/spool' }, around())).toEqual({ dir: '/spool' });
  });

  test.each(['N8N_USER_FOLDER', 'HOME'])("is otherwise in n8n's data folder, found by %s", async (name) => {
    await mkdir(join(home, '.n8n'));
    expect(spoolOfN8n({}, around({ HOME: '/nowhere', [name]: home }))).toEqual({
      dir: join(home, '.n8n', 'media-service', 'spool'),
      must: 'closed',
    });
  });

  test('is otherwise a private folder among temporary files, named after the user', () => {
    expect(spoolOfN8n({}, around({ HOME: home }))).toEqual({
      dir: join('/tmp', 'n8n-media-service-1000'),
      must: 'own',
    });
  });
});
