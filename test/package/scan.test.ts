import { afterTest } from '../support/after-test';
import { ROOT, pack, run } from '../support/pack';

/** n8n's own analysis of community packages, on our sources and on what `npm pack` made. */
const SCAN = `
  import { SOURCE_FILE_PATTERNS, analyzePackage } from '@n8n/scan-community-package/scanner/scanner.mjs';
  const source = await analyzePackage(process.cwd(), SOURCE_FILE_PATTERNS);
  console.log(JSON.stringify([source, await analyzePackage(process.argv[1])]));`;

test("n8n's scan of sources and package finds nothing", async () => {
  const packed = await pack('n8n-nodes-media-service');
  afterTest(() => packed.dir.remove());
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', SCAN, packed.folder], ROOT);
  expect(JSON.parse(stdout)).toEqual([{ passed: true }, { passed: true }]);
});
