import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type TempDir, createTempDir } from './temp-dir';

const execute = promisify(execFile);

export const ROOT = resolve(__dirname, '..', '..');

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

/** Packs the project as it is currently built. */
export async function pack(): Promise<Packed> {
  const dir = await createTempDir('package');
  const { stdout } = await npm(['pack', '--json', '--pack-destination', dir.path], ROOT);
  const [report] = JSON.parse(stdout) as PackReport[];
  if (report === undefined) throw new Error('npm pack made nothing.');
  const tarball = join(dir.path, report.filename);
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
