import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createS3 } from '../../../../../files/s3/s3-client';
import type { FileAccess } from '../../../../../files/output-path';
import { claimFolder, releaseFolder } from '../../../../../temporal/batch/files/stored-plan';
import { useTempDir } from '../../../../support/use-temp-dir';

const temp = useTempDir('folder-claim', 'test');
let access: FileAccess;
beforeEach(async () => {
  access = { outputRoots: [temp.path], roots: [], s3: createS3() };
});

function claim(accountId: string, batchId: string): Promise<void> {
  return claimFolder(access, { kind: 'path', path: temp.path }, { accountId, batchId });
}

describe("a batch's claim of its folder", () => {
  it('succeeds for one of many batches at once, and the others name it', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `films-${String(index)}`);
    const ends = await Promise.allSettled(names.map((name) => claim('studio', name)));
    const owner = names[ends.findIndex(({ status }) => status === 'fulfilled')] ?? '';
    const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
    expect(refusals).toHaveLength(7);
    for (const refusal of refusals) expect(refusal).toContain(`the batch ${owner} of the account studio.`);
    await expect(claim('studio', owner)).resolves.toBeUndefined();
    expect(await readdir(temp.path)).toEqual(['plan.json']);
  });

  it('is refused for a batch of the same name in another account', async () => {
    await claim('studio', 'films');
    await expect(claim('other', 'films')).rejects.toMatchObject({ code: 'InputDiffers' });
  });

  it('is free after it was released', async () => {
    await claim('studio', 'films');
    await releaseFolder(access, { kind: 'path', path: temp.path });
    await expect(claim('studio', 'others')).resolves.toBeUndefined();
  });

  it.each([
    ['no JSON', 'mine'],
    ['something else', '{"batchId":7}'],
  ])('is refused if plan.json holds %s', async (_label, text) => {
    await writeFile(join(temp.path, 'plan.json'), text);
    await expect(claim('studio', 'films')).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining('belongs to another program'),
    });
  });
});
