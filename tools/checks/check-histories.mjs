/** Saved histories must stay as they were recorded. `npm run histories` records them. */
import { resolve } from 'node:path';
import { argv } from 'node:process';
import { root } from '../folders.mjs';
import { sumFindings, sumsNow } from './history-sums.mjs';

const project = resolve(argv[2] ?? root);
const findings = await sumFindings(project);
for (const finding of findings) console.error(finding);
console.log(`histories: ${(await sumsNow(project)).size} saved, ${findings.length} findings.`);
if (findings.length > 0) {
  console.error('Histories never change by hand. See "Workflow histories" in CONTRIBUTING.md.');
  process.exitCode = 1;
}
