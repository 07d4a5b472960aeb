import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { workflowModules } from '../../temporal/worker/workflow-bundle';

const ROOT = resolve(__dirname, '..', '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'workflow-bundle');
const SOURCES = ['temporal', 'api'];

/** Jest passes only environment variables on to test files. */
const VARIABLE = 'MEDIA_SERVICE_TEST_BUNDLE';
const ENTRY = join(ROOT, 'temporal', 'workflow');

/** Path of the workflow bundle of the current sources, made once for all test files. */
export async function testWorkflowBundle(): Promise<string> {
  return (process.env[VARIABLE] ??= await bundled(ENTRY));
}

/** Path of a bundle of the workflows of this module. Made again only if sources changed. */
export async function bundled(workflowsPath: string): Promise<string> {
  const path = join(CACHE, `${await hashOfSources(workflowsPath)}.js`);
  if (existsSync(path)) return path;
  const options = workflowsPath === ENTRY ? workflowModules(ENTRY) : { workflowsPath };
  const { code } = await bundleWorkflowCode({ ...options, logger: new DefaultLogger('ERROR') });
  await mkdir(CACHE, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, code);
  await rename(unfinished, path);
  return path;
}

async function hashOfSources(entry: string): Promise<string> {
  const hash = createHash('sha256').update(relative(ROOT, entry));
  const folders = [...SOURCES.map((name) => join(ROOT, name)), dirname(entry)];
  const sources = globSync(folders.map((folder) => join(folder, '**', '*.ts'))).sort();
  for (const path of [join(ROOT, 'package-lock.json'), ...sources])
    hash.update(path).update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}
