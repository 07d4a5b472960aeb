// `node bench/upload/bench-n8n-memory.mjs [FILES]`: what uploads of 1 GB inside n8n add to the memory of their process:
// the node's source and transport over n8n's own HTTP helper, without the rest of n8n. Needs Linux.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ensureBuilt } from '../../tools/build.mjs';
import { root } from '../../tools/folders.mjs';
import { ensureInstalled } from '../../tools/install.mjs';
import { makeFile } from '../part/make-file.mjs';

const BYTES = 1_000_000_000;
const MODULES = {
  './n8n/n8n-transport': ['createN8nTransport'],
  './n8n/n8n-clock': ['n8nClock'],
  './api/service/create-service': ['createService'],
  './api/upload/engine/direct-steps': ['createDirectSteps', 'directControl'],
  './api/upload/engine/run-upload': ['runUpload'],
  './nodes/MediaService/upload/in-n8n/n8n-source': ['n8nSource', 'throughMemory'],
};

await ensureInstalled();
await ensureBuilt();
const { build } = await import('esbuild');
const folder = await mkdtemp(path.join(os.tmpdir(), 'bench-n8n-memory-'));
const options = { processingMs: 10 };
const simulator = spawn(process.execPath, ['bench/serve-simulator.mjs', JSON.stringify(options)], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = await once(createInterface(simulator.stdout), 'line');
  // Beside the sources, so that it finds the packages.
  const bundle = path.join(root, 'node_modules', '.cache', `bench-n8n-memory-${process.pid}.cjs`);
  const lines = Object.entries(MODULES).map(
    ([from, names]) => `export { ${names.join(', ')} } from '${from}';`,
  );
  await build({
    stdin: { contents: lines.join('\n'), resolveDir: root, loader: 'ts' },
    ...{ bundle: true, platform: 'node', packages: 'external', outfile: bundle },
  });
  const { file } = await makeFile(path.join(folder, 'film.mp4'), { bytes: BYTES, partBytes: BYTES });
  const job = { bundle, file, bytes: BYTES, files: Number(process.argv[2] ?? 1), ...JSON.parse(line) };
  const script = path.join(root, 'bench', 'upload', 'upload-in-n8n.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(job)]);
  console.log(stdout);
  await rm(bundle);
} finally {
  simulator.kill('SIGTERM');
  await rm(folder, { recursive: true });
}
