import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bundledProgram } from './bundled-program';

const ENTRY = join(__dirname, 'full-disk-entry.ts');
const NOBODY = 65_534;
/** In blocks of 512 bytes, as POSIX counts. */
const LIMIT_BLOCKS = (2.5 * 1024 * 1024) / 512;

/**
 * Writes 4 MiB into a folder on a disk that is full after 2.5 MiB, and returns the failure. It runs in a process of its
 * own, whose write the kernel refuses halfway.
 */
export async function writeOnFullDisk(folder: string): Promise<unknown> {
  const words = [process.execPath, await bundledProgram(ENTRY), folder];
  const child = spawn('sh', ['-c', `ulimit -f ${LIMIT_BLOCKS} && exec "$0" "$@"`, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const failure: unknown = JSON.parse(await text(child.stdout));
  return failure;
}

/** Runs without root's right to write everywhere. Other users do not have that right anyway. */
export async function withoutRoot<T>(run: () => Promise<T>): Promise<T> {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0 || seteuid === undefined) return run();
  seteuid(NOBODY);
  try {
    return await run();
  } finally {
    seteuid(0);
  }
}
