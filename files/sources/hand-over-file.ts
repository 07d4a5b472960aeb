import { createHash, randomBytes } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { access, realpath, unlink } from 'node:fs/promises';
import path from 'node:path';
import { writeWhole } from '../disk/write-whole';
import { ConfigurationError, hasCode } from '../../api/errors';
import type { PathSource } from '../../api/upload/sources/source';
import { isFull, systemCodeOf } from '../system-error';
import { allowedPath } from '../allowed-path';

interface HandOver {
  /** A folder that this machine and the workers mount at the same path, inside `roots`. */
  readonly folder: string;
  readonly roots: readonly string[];
  readonly fileName: string;
  /** Called once the folder is known to be allowed. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
  readonly signal?: AbortSignal | undefined;
}

export interface HandedOver {
  /** Every worker can read the file. A worker deletes it when its upload ends. */
  readonly source: PathSource;
  /** Deletes the file if no upload takes it over. */
  readonly takeBack: () => Promise<void>;
}

const PREFIX = 'media-service-';
/** The file's group may read it: the worker may run as another user. */
const MODE = 0o640;
const HAND_OVER_NAME = /^media-service-[0-9a-f]{32}-/;

/** Returns whether a file has the name of a handed-over file. */
export function isHandOverName(name: string): boolean {
  return HAND_OVER_NAME.test(name);
}

/**
 * Streams the content into a new file in the shared folder, in a constant amount of memory. The name ends in
 * `fileName`. Rejects with `SourceNotAllowed` if the folder is outside the roots. Rejects with a `ConfigurationError`
 * if it is missing, full or closed to this user. A failure leaves no file behind.
 */
export async function handOverFile({ folder, roots, fileName, open, signal }: HandOver): Promise<HandedOver> {
  const real = await realFolder(folder, roots);
  const name = `${PREFIX}${randomBytes(16).toString('hex')}-${safeName(fileName)}`;
  const file = path.join(folder, name);
  const hash = createHash('sha256');
  let bytes = 0;
  async function* counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of hashed(content, hash)) {
      signal?.throwIfAborted();
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  try {
    await writeWhole({
      file: path.join(real, name),
      partial: `${name}.part`,
      content: counted(await open()),
      mode: MODE,
      failed: (error) => unusable(folder, error),
    });
    const written = { bytes, digest: hash.digest('hex') };
    const source = { kind: 'path', path: file, deleteAfter: true, fileName, ...written } as const;
    // The worker may have removed it already; a sweep finds leftovers.
    return { source, takeBack: () => unlink(file).catch(() => undefined) };
  } catch (error) {
    // The original failure matters more; a sweep finds leftovers.
    await unlink(path.join(real, name)).catch(() => undefined);
    throw error;
  }
}

/** Yields the content, and adds it to the hash. */
export async function* hashed(content: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Returns the real path of the folder, which is a root or inside one. */
async function realFolder(folder: string, roots: readonly string[]): Promise<string> {
  const root = await realRoot(folder, roots);
  if (root !== undefined) return root;
  return allowedPath({ roots }, folder).catch(async (error: unknown) => {
    const named = roots.some((root) => path.resolve(root) === path.resolve(folder));
    const isAllowed = hasCode(error, 'SourceMissing');
    if (!named && !isAllowed) throw error;
    await access(folder).catch((cause: unknown) => {
      throw unusable(folder, cause);
    });
    throw error;
  });
}

function unusable(folder: string, error: unknown): ConfigurationError {
  const code = systemCodeOf(error) ?? 'unknown reason';
  return new ConfigurationError(
    'sharedFolder',
    `the shared folder ${folder} ${isFull(error) ? 'has too little room' : `can't be written to (${code})`}`,
    { remedy: { kind: 'set-shared-folder' } },
  );
}

async function realRoot(folder: string, roots: readonly string[]): Promise<string | undefined> {
  const [real, ...realRoots] = await Promise.all(
    // A root that can't be seen allows nothing.
    [folder, ...roots].map((name) => realpath(name).catch(() => undefined)),
  );
  return real !== undefined && realRoots.includes(real) ? real : undefined;
}

/** Makes one path segment with the file's extension, short enough for any file system. */
function safeName(fileName: string): string {
  const { name, ext } = path.parse(fileName.replace(/[^\p{L}\p{N}._-]+/gu, '_'));
  return `${start(name, 100)}${start(ext, 40)}`;
}

/** Returns as many whole characters as fit into this many bytes of UTF-8. */
function start(text: string, maxBytes: number): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > maxBytes) break;
    kept += character;
  }
  return kept;
}
