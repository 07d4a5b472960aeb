import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { link, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemCodeOf } from '../../sources/source-failure';
import { LOCK, parsedJson, unusable, WRITING } from './journal-store';
import type { Holder } from './lock-holder';
import { isHolder } from './lock-holder';

/**
 * The lock of an ingest key on the disk: a chain of files, of which the last one names the holder. The first is `<base>.lock`; who takes over from a holder
 * makes a file whose name is made of that holder's token. Making it is atomic, so that one of many takes over, and nothing of anybody is moved or replaced. Who
 * removes the first file ends the chain.
 */
export interface ChainLink {
  readonly file: string;
  readonly holder: Holder;
  /** Another one after each heartbeat. Opaque: it comes from the holder's clock. */
  readonly stamp: string;
  /** Epoch ms of the holder's clock. */
  readonly heartbeatAt: number;
}

/** Shown of a file that is no lock of ours. */
const UNKNOWN = { pid: 0, numbers: '', host: 'unknown' };

/** From the first to the holder; empty: nobody holds the lock. Rejects with a `ConfigurationError` if a file can't be read. */
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

/** An own link, which stays open: its heartbeats then never reach the file of another. */
export interface OwnLink {
  readonly file: string;
  readonly handle: FileHandle;
}

/** Makes the link behind another one, or the first one; undefined: another process was faster. Rejects with a `ConfigurationError`. */
export async function makeLink(
  base: string,
  own: Holder,
  after: ChainLink | undefined,
): Promise<OwnLink | undefined> {
  const file = after === undefined ? firstFile(base) : fileAfter(base, after.holder);
  // Linked in place, so that nobody ever reads half of it.
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
    await rm(writing, { force: true }).catch(() => undefined);
  }
}

/** Ends the whole chain: the lock is free once the first file is gone. */
export async function endChain(chain: readonly ChainLink[]): Promise<void> {
  for (const { file } of chain) await rm(file, { force: true });
}

function firstFile(base: string): string {
  return `${base}${LOCK}`;
}

/** A hash, since what is read as a token may be anything. */
function fileAfter(base: string, { token }: Holder): string {
  return `${base}.${createHash('sha256').update(token).digest('hex').slice(0, 32)}${LOCK}`;
}

/** Opened for reading, since only then network file systems ask their server. */
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
