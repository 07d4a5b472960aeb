/**
 * `npm run bench:load`: how much our package adds to n8n's start, compared with a package with one empty node. Each
 * figure comes from a new process; the two packages alternate. `-- --rounds 21` sets the number of
 * rounds.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { ensureBuilt } from '../../tools/build.mjs';
import { root } from '../../tools/folders.mjs';

const AIM_MS = 10;
const run = promisify(execFile);
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '21' } } });

await ensureBuilt();
const empty = await emptyPackage();
try {
  const times = { ours: [], empty: [] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    times.ours.push(await timeToLoad(root));
    times.empty.push(await timeToLoad(empty));
  }
  console.log('| package | median ms | min–max | processor: median ms | min–max |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const [name, all] of Object.entries(times)) {
    const spans = ['ms', 'cpuMs'].map((figure) => spanOf(all.map((one) => one[figure])));
    console.log(`| ${name} | ${spans.join(' | ')} |`);
  }
  console.log(`\nAim: below ${AIM_MS} ms.`);
} finally {
  await rm(empty, { recursive: true, force: true });
}

async function timeToLoad(folder) {
  const { stdout } = await run(process.execPath, [
    join(root, 'bench', 'load', 'load-package.cjs'),
    folder,
    root,
  ]);
  return JSON.parse(stdout);
}

function spanOf(all) {
  const sorted = all.sort((a, b) => a - b).map((ms) => ms.toFixed(1));
  return `${sorted[sorted.length >> 1]} | ${sorted[0]}–${sorted.at(-1)}`;
}

async function emptyPackage() {
  const folder = await mkdtemp(join(tmpdir(), 'media-service-empty-'));
  const n8n = { credentials: [], nodes: ['dist/Empty.node.js'] };
  await mkdir(join(folder, 'dist'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', n8n }));
  await writeFile(join(folder, 'dist', 'Empty.node.js'), 'exports.Empty = class { description = {}; };\n');
  return folder;
}
