import { createHash } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { parsedJson } from '../../../json';
import { systemCodeOf } from '../../../../files/system-error';
import { LOCK, unusable, WRITING } from './journal-store';
import { isHolder } from './lock-holder';
import type { Holder } from './lock-holder';

/**
 * The lock of an ingest key on disk: a chain of files, the last of which names the holder. The first file is
 * `<base>.lock`. A process takes over from a holder by creating a file whose name is derived from that holder's token.
 * Creating it is atomic, so only one of many processes takes over, and nobody's file is moved or replaced. Removing the
 * first file ends the chain.
 */
export interface ChainLink {
  readonly file: string;
  readonly holder: Holder;
  /** Changes with each heartbeat. Opaque: it comes from the holder's clock. */
  readonly stamp: string;
  /** Epoch ms of the holder's clock. */
  readonly heartbeatAt: number;
}

/** Shown for a file that is not a lock of ours. */
const UNKNOWN = { pid: 0, numbers: '', host: 'unknown' };

/**
 * Returns the links from the first to the holder's. Empty: nobody holds the lock. Rejects with a `ConfigurationError`
 * if a file can't be read.
 */
export async function readChain(base: string): Promise<readonly ChainLink[]> {
  const chain: ChainLink[] = [];
  let next: string = firstFile(base);
  for (;;) {
    const found = await readLink(next);
    if (found === undefined || chain.some(({ file }) => file === next)) return chain;
    chain.push(found);
    next = fileAfter(base, found.holder);
  }
}

/** A link of our own. Its file stays open, so that its heartbeats never reach another process's file. */
export interface OwnLink {
  readonly file: string;
  readonly handle: FileHandle;
}

/**
 * Creates the link after another one, or the first one. Undefined: another process was faster. Rejects with a
 * `ConfigurationError`.
 */
export async function makeLink(
  base: string,
  own: Holder,
  after: ChainLink | undefined,
): Promise<OwnLink | undefined> {
  const file = after === undefined ? firstFile(base) : fileAfter(base, after.holder);
  // Linked into place as a whole, so that nobody reads a half-written file.
  const writing = `${base}.${own.token}${WRITING}`;
  let handle: FileHandle | undefined;
  try {
    handle = await open(writing, 'wx', 0o600);
    await handle.writeFile(JSON.stringify(own));
    await link(writing, file);
    return { file, handle };
  } catch (error) {
    await handle?.close();
    if (systemCodeOf(error) === 'EEXIST') return undefined;
    throw unusable(path.dirname(base), error);
  } finally {
    // The sweep of old journals removes a leftover.
    await rm(writing, { force: true }).catch(() => undefined);
  }
}

/** Ends the whole chain. The lock is free once the first file is gone. */
export async function endChain(chain: readonly ChainLink[]): Promise<void> {
  for (const { file } of chain) await rm(file, { force: true });
}

function firstFile(base: string): string {
  return `${base}${LOCK}`;
}

/** A hash, because a token that was read may be any text. */
function fileAfter(base: string, { token }: Holder): string {
  return `${base}.${createHash('sha256').update(token).digest('hex').slice(0, 32)}${LOCK}`;
}

/** Opens the file before reading: network file systems ask their server only then. */
async function readLink(file: string): Promise<ChainLink | undefined> {
  try {
    const handle = await open(file, 'r');
    try {
      const text = await handle.readFile('utf8');
      const { mtimeNs, mtimeMs } = await handle.stat({ bigint: true });
      const value = parsedJson(text);
      const holder = isHolder(value) ? value : { ...UNKNOWN, token: text };
      return { file, holder, stamp: `${mtimeNs} ${text}`, heartbeatAt: Number(mtimeMs) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw unusable(path.dirname(file), error);
  }
}
