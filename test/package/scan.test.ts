import { expect, test } from '@jest/globals';
import { ROOT, pack, run } from '../support/pack';

test("n8n's scan of sources and package finds nothing", async () => {
  const packed = await pack('n8n-nodes-media-service');
  try {
    const { stdout } = await run(process.execPath, ['tools/checks/scan-package.mjs', packed.folder], ROOT);
    expect(JSON.parse(stdout)).toEqual([]);
  } finally {
    await packed.dir.remove();
  }
});
