/**
 * `node bench/load/bench-install.mjs`: how long n8n takes to install our package with a warm npm cache. Follows the
 * steps of n8n's installer: unpack the tarball, keep only runtime dependencies, and let npm install them. `--rounds 5`
 * sets the number of rounds.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { ensureBuilt } from '../../tools/build.mjs';
import { root } from '../../tools/folders.mjs';

const AIM_S = 20;
const LEFT_OUT = ['devDependencies', 'peerDependencies', 'optionalDependencies'];
const FLAGS = [
  '--audit=false',
  '--fund=false',
  '--bin-links=false',
  '--install-strategy=shallow',
  '--ignore-scripts=true',
  '--package-lock=false',
];
const run = promisify(execFile);
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });

await ensureBuilt();
const dir = await mkdtemp(join(tmpdir(), 'media-service-install-'));
try {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', dir], { cwd: root });
  const [{ filename }] = JSON.parse(stdout);
  // The first round fills the cache.
  await secondsToInstall(join(dir, filename), join(dir, 'cold'));
  const times = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    times.push(await secondsToInstall(join(dir, filename), join(dir, String(round))));
  }
  const sorted = times.sort((a, b) => a - b).map((s) => s.toFixed(1));
  console.log(
    `median ${sorted[sorted.length >> 1]} s (${sorted[0]}–${sorted.at(-1)}). Aim: below ${AIM_S} s.`,
  );
} finally {
  await rm(dir, { recursive: true, force: true });
}

async function secondsToInstall(tarball, folder) {
  const from = performance.now();
  await mkdir(folder);
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  const path = join(folder, 'package.json');
  const whole = Object.entries(JSON.parse(await readFile(path, 'utf8')));
  const kept = whole.filter(([name]) => !LEFT_OUT.includes(name));
  await writeFile(path, JSON.stringify(Object.fromEntries(kept), null, 2));
  await run('npm', ['install', ...FLAGS], { cwd: folder });
  return (performance.now() - from) / 1000;
}
