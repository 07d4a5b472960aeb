import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempDir {
  readonly path: string;
  remove(): Promise<void>;
}

/** A new empty folder, without symbolic links in its path. */
export async function createTempDir(purpose = 'test'): Promise<TempDir> {
  const path = await realpath(await mkdtemp(join(tmpdir(), `media-service-${purpose}-`)));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}
