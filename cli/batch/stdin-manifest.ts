import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ManifestFormat } from '../../manifest/format';

/** A manifest from stdin. It is read once, so that it can be checked before it is copied to where workers find it. */
export interface StdinManifest {
  /** It is at no location of its own. */
  readonly source?: undefined;
  /** SHA-256 of its text. */
  readonly digest: string;
  /** Guessed from its first character. */
  readonly format: ManifestFormat;
  bytes(): AsyncIterable<Uint8Array>;
}

/**
 * Runs `use` with the content of stdin, in a temporary file for only this user that is removed afterwards. Memory does
 * not grow with the content.
 */
export async function withStdinManifest<T>(
  stdin: AsyncIterable<Uint8Array>,
  use: (manifest: StdinManifest) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'stdin-manifest-'));
  const path = join(folder, 'manifest');
  try {
    const { digest, format } = await keep(stdin, path);
    return await use({ digest, format, bytes: () => createReadStream(path) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function keep(
  stdin: AsyncIterable<Uint8Array>,
  path: string,
): Promise<Pick<StdinManifest, 'digest' | 'format'>> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  let head = '';
  try {
    for await (const chunk of stdin) {
      hash.update(chunk);
      head ||= firstCharacter(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  return { digest: hash.digest('hex'), format: head === '{' ? 'jsonl' : 'csv' };
}

/** Returns the first character after spaces and a byte order mark; empty if there is none. */
function firstCharacter(chunk: Uint8Array): string {
  return Buffer.from(chunk.subarray(0, 1024))
    .toString('utf8')
    .replace(/^[\s\ufeff]+/, '')
    .charAt(0);
}
