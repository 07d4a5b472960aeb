import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type TempDir, createTempDir } from './temp-dir';

const execute = promisify(execFile);

export const ROOT = resolve(__dirname, '..', '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'packed');
const REPORT = 'report.json';
/** The folder of each package. */
const PACKAGES = { 'n8n-nodes-media-service': '.', 'media-service': join('packages', 'media-service') };
/** What npm reads in it. */
const CONTENT = ['package.json', 'README.md', 'LICENSE', 'dist/**', 'docs/**'];

export type PackageName = keyof typeof PACKAGES;

export interface Packed {
  readonly tarball: string;
  /** The tarball's content, as `npm install` would unpack it. */
  readonly folder: string;
  /** Paths in the package. */
  readonly files: readonly string[];
  /** Bytes to download, and on disk. */
  readonly size: { readonly packed: number; readonly unpacked: number };
  /** Holds all of the above, and files that a test adds. */
  readonly dir: TempDir;
}

interface PackReport {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Packs a package as it is currently built. npm packs the same content once for all test files. */
export async function pack(name: PackageName): Promise<Packed> {
  const kept = await packedOnce(name);
  const report = JSON.parse(await readFile(join(kept, REPORT), 'utf8')) as PackReport;
  const dir = await createTempDir('package');
  const tarball = join(dir.path, report.filename);
  await copyFile(join(kept, report.filename), tarball);
  const folder = join(dir.path, 'unpacked');
  await unpack(tarball, folder);
  return {
    tarball,
    folder,
    files: report.files.map(({ path }) => path),
    size: { packed: report.size, unpacked: report.unpackedSize },
    dir,
  };
}

/** Folder with the tarball of the current content, and npm's report about it. */
async function packedOnce(name: PackageName): Promise<string> {
  const folder = join(CACHE, `${name}-${await hashOfContent(name)}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const { stdout } = await npm(
    ['pack', '--json', '--pack-destination', unfinished],
    join(ROOT, PACKAGES[name]),
  );
  const [report] = JSON.parse(stdout) as PackReport[];
  if (report === undefined) throw new Error('npm pack made nothing.');
  await writeFile(join(unfinished, REPORT), JSON.stringify(report));
  await rename(unfinished, folder).catch(async (error: unknown) => {
    if (!existsSync(folder)) throw error;
    // Another process has packed the same content meanwhile.
    await rm(unfinished, { recursive: true });
  });
  return folder;
}

async function hashOfContent(name: PackageName): Promise<string> {
  const cwd = join(ROOT, PACKAGES[name]);
  const hash = createHash('sha256');
  for (const file of globSync(CONTENT, { cwd }).sort()) {
    const info = await stat(join(cwd, file));
    if (!info.isFile()) continue;
    hash.update(`${file} ${String(info.mode)}\0`).update(await readFile(join(cwd, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

export async function unpack(tarball: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await execute('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}

/** Variables that the npm of these tests passes on to its children, and that a user's npm would not set. */
const INHERITED =
  /^npm_(package|lifecycle|command|execpath)|^npm_config_(ignore_scripts|global|\w*prefix)$|^NODE_(PATH|OPTIONS|ENV)$/i;

/** Runs npm as a user would. */
export async function npm(args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  return run('npm', args, cwd);
}

/** Runs a program and collects its output. Rejects with that output unless the exit code is 0. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ stdout: string; stderr: string }> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !INHERITED.test(name)));
  return execute(command, [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
}
