import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { realpath, unlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PathSource } from '../source';
import { allowedPath } from './allowed-path';

export interface HandOver {
  /** A folder that this machine and the workers mount at the same path, inside `roots`. */
  readonly folder: string;
  readonly roots: readonly string[];
  readonly fileName: string;
  /** Called once the folder is known to be allowed. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
  readonly signal?: AbortSignal | undefined;
}

export interface HandedOver {
  /** Every worker may read it, and it is deleted when its upload ends. */
  readonly source: PathSource;
  /** Deletes the file where no upload takes it over. */
  readonly takeBack: () => Promise<void>;
}

/**
 * Streams the content into a new file of the shared folder, whose name ends in `fileName`; memory does not grow with it. Rejects with
 * `SourceNotAllowed` where the folder lies outside the roots, and leaves no file behind when it fails.
 */
export async function handOverFile({ folder, roots, fileName, open, signal }: HandOver): Promise<HandedOver> {
  if (!(await isRoot(folder, roots))) await allowedPath({ roots }, folder);
  const file = path.join(folder, `${randomBytes(6).toString('hex')}-${safeName(fileName)}`);
  const takeBack = (): Promise<void> => unlink(file).catch(() => undefined);
  try {
    const content = await open();
    const target = createWriteStream(file, { flags: 'wx', mode: 0o640 });
    await pipeline(content, target, { signal });
    const source = {
      kind: 'path',
      path: file,
      deleteAfter: true,
      fileName,
      bytes: target.bytesWritten,
    } as const;
    return { source, takeBack };
  } catch (error) {
    await takeBack();
    throw error;
  }
}

async function isRoot(folder: string, roots: readonly string[]): Promise<boolean> {
  const [real, ...realRoots] = await Promise.all(
    [folder, ...roots].map((name) => realpath(name).catch(() => undefined)),
  );
  return real !== undefined && realRoots.includes(real);
}

/** One path segment, short enough for any file system, with its extension. */
function safeName(fileName: string): string {
  const { name, ext } = path.parse(fileName.replace(/[^\p{L}\p{N}._-]+/gu, '_'));
  return `${name.slice(0, 80)}${ext.slice(0, 20)}`;
}
