import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { workflowModules } from '../../temporal/worker/workflow-bundle';

const ROOT = resolve(__dirname, '..', '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'workflow-bundle');
const SOURCES = ['temporal', 'api'];

let bundle: Promise<string> | undefined;

/** Path of the workflow bundle of the current sources, made once for all test files. */
export function testWorkflowBundle(): Promise<string> {
  bundle ??= makeBundle();
  return bundle;
}

async function makeBundle(): Promise<string> {
  const path = join(CACHE, `${await hashOfSources()}.js`);
  if (existsSync(path)) return path;
  const { code } = await bundleWorkflowCode({
    ...workflowModules(join(ROOT, 'temporal', 'workflows')),
    logger: silent,
  });
  await mkdir(CACHE, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, code);
  await rename(unfinished, path);
  return path;
}

/** Code of a bundle of other workflows. */
export async function bundledWorkflows(workflowsPath: string): Promise<string> {
  return (await bundleWorkflowCode({ workflowsPath, logger: silent })).code;
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of SOURCES) {
    const names = await readdir(join(ROOT, folder), { recursive: true });
    for (const name of names.filter((one) => one.endsWith('.ts')).sort()) {
      hash.update(name).update(await readFile(join(ROOT, folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

const nothing = (): void => undefined;
const silent = {
  log: nothing,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: console.error,
};
