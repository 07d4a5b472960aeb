import { jest } from '@jest/globals';
import fs, { open, readlink } from 'node:fs/promises';
import path from 'node:path';

/**
 * What reaches the disk, in order: each fsync with the path of its file in the folder, and each rename.
 * `jest.restoreAllMocks` ends it.
 */
export async function watchDisk(folder: string): Promise<string[]> {
  const seen: string[] = [];
  const shown = (file: string): string => path.relative(folder, file).replace(/^$/, '.');
  const own = await open(folder, 'r');
  const prototype = Object.getPrototypeOf(own) as typeof own;
  await own.close();
  const { sync } = prototype;
  jest.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof own) {
    seen.push(`sync ${shown(await readlink(`/proc/self/fd/${this.fd}`))}`);
    await sync.call(this);
  });
  const renamed = fs.rename;
  jest.spyOn(fs, 'rename').mockImplementation(async (from, to) => {
    seen.push(`rename to ${path.basename(String(to))}`);
    await renamed(from, to);
  });
  return seen;
}
