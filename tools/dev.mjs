/** `npm run dev`: an n8n with the nodes, on this machine only. It loads them again after each change of a source. */
import { spawn } from 'node:child_process';
import { copyFile, cp, mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buildNodes } from './build.mjs';
import { root } from './folders.mjs';
import { ensureInstalled } from './install.mjs';
import { say } from './say.mjs';
import { ensureN8n } from './set-up/n8n.mjs';

await ensureInstalled();
const n8n = await ensureN8n();
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const cache = join(root, 'node_modules', '.cache', 'media-service', 'dev');
const userFolder = process.env.N8N_USER_FOLDER ?? join(cache, 'n8n');
const installed = join(userFolder, '.n8n', 'nodes', 'node_modules', manifest.name);
await mkdir(installed, { recursive: true });
await copyFile(join(root, 'package.json'), join(installed, 'package.json'));

const { context } = await import('esbuild');
const sources = await context({
  // Only watches: what the nodes import is built again as a whole.
  entryPoints: [...manifest.n8n.credentials, ...manifest.n8n.nodes].map((path) =>
    join(root, relative('dist', path).replace(/\.js$/, '.ts')),
  ),
  ...{ bundle: true, write: false, outdir: installed, platform: 'node', packages: 'external' },
  plugins: [{ name: 'build-again', setup: (watched) => watched.onEnd(buildAgain) }],
});
await sources.rebuild();
await sources.watch();
const env = { N8N_LISTEN_ADDRESS: '127.0.0.1', N8N_DEV_RELOAD: 'true', N8N_USER_FOLDER: userFolder };
const child = spawn(process.execPath, [n8n], { env: { ...process.env, ...env }, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));

async function buildAgain({ errors }) {
  // esbuild has printed them.
  if (errors.length > 0) return;
  // Here, because the build loads the nodes' second file, which needs n8n-workflow.
  await buildNodes(join(cache, 'dist'), manifest);
  await cp(join(cache, 'dist'), join(installed, 'dist'), { recursive: true });
  say('the nodes are built, and ready for n8n.');
}
