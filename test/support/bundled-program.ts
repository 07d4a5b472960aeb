import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/** Inside the project, so that a program finds its libraries. */
const CACHE = resolve(__dirname, '..', '..', 'node_modules', '.cache', 'test-programs');
const programs = new Map<string, Promise<string>>();

/**
 * Path of a TypeScript program bundled into one file for Node. It is made once per test file, and named after its
 * content.
 */
export function bundledProgram(entry: string): Promise<string> {
  const known = programs.get(entry) ?? bundle(entry);
  programs.set(entry, known);
  return known;
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`${entry} was not built.`);
  const path = join(CACHE, `${createHash('sha256').update(file.contents).digest('hex').slice(0, 16)}.cjs`);
  await mkdir(CACHE, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, file.contents);
  await rename(unfinished, path);
  return path;
}
