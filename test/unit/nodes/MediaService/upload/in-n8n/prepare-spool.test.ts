import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareSpool } from '../../../../../../nodes/MediaService/upload/in-n8n/prepare-spool';
import { useTempDir } from '../../../../../support/use-temp-dir';
import { failureOf } from '../../../../api/upload/failure-of';

const dir = useTempDir('spool', 'test');
let spool: string;
beforeEach(async () => {
  spool = join(dir.path, 'n8n-media-service-1000');
});

describe('the spool folder of n8n', () => {
  test('is made if nobody has set it', async () => {
    await prepareSpool({ dir: spool, must: 'own' });
    expect(await readdir(dir.path)).toEqual(['n8n-media-service-1000']);
  });

  test('is left to its user if somebody has set it', async () => {
    await prepareSpool({ dir: spool });
    expect(await readdir(dir.path)).toEqual([]);
  });

  test.each<[string, RegExp, () => Promise<void>]>([
    ['a link', /can't be used: it is a link$/, () => symlink(dir.path, spool)],
    ['a file', /can't be used: it can't be made \(EEXIST\)$/, () => writeFile(spool, '')],
    ['a folder that all may read', /it is open to other users \(mode 755\)$/, () => open(spool)],
  ])(
    'that is blocked by %s is refused, with the setting to choose another one',
    async (_what, reason, make) => {
      await make();
      const error = await failureOf(prepareSpool({ dir: spool, must: 'own' }));
      expect([error.code, error.facts.field]).toEqual(['Configuration', 'spoolDir']);
      expect(error.message).toMatch(reason);
      expect(error.facts.hint).toContain('MEDIA_SERVICE_SPOOL_DIR');
    },
  );
});

async function open(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o755 });
}
