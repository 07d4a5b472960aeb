import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { transform } from 'esbuild';
import { packageOfFile } from './licences.mjs';
import { root } from './folders.mjs';

const INLINE_MAP = /(?<=\/\/# sourceMappingURL=data:application\/json;[^,]*base64,)[A-Za-z0-9+/=]+/;

/**
 * Makes temporal/workflow-bundle.js. Workers load the workflows as one file, so that a worker needs no compiler to
 * start. The file is the same on every machine. Returns the names of the packages in it.
 */
export async function bundleWorkflows(dist) {
  // The bundler overlays its own files on those of the disk, by real path.
  const folder = await realpath(dist);
  const modules = await realpath(join(root, 'node_modules'));
  const { code: readable } = await bundleWorkflowCode({
    workflowsPath: join(folder, 'temporal', 'workflow', 'index.js'),
    workflowInterceptorModules: [join(folder, 'temporal', 'telemetry', 'workflow.js')],
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error },
  });
  // Names stay, because Temporal finds workflows by them, and stack traces show them.
  const { code } = await transform(readable, {
    minifyWhitespace: true,
    minifySyntax: true,
    target: 'es2022',
    legalComments: 'none',
    sourcemap: 'inline',
    sourcesContent: false,
  });
  const local = (text) =>
    text.replaceAll(folder, 'dist').replaceAll(modules, 'node_modules').replaceAll(root, '.');
  const [encoded] = INLINE_MAP.exec(code) ?? [];
  if (encoded === undefined) throw new Error('The workflow bundle has no source map; workers need one.');
  const map = JSON.parse(Buffer.from(encoded, 'base64').toString());
  const sources = map.sources.map(local);
  const small = JSON.stringify({ ...map, sources });
  const text = local(code).replace(INLINE_MAP, () => Buffer.from(small).toString('base64'));
  await writeFile(join(dist, 'temporal', 'workflow-bundle.js'), text);
  return [...new Set(sources.flatMap((source) => packageOfFile(source) ?? []))].sort();
}
