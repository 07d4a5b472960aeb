import type { BigIntStats } from 'node:fs';
import { sameTime } from './same-time';

/** What a fingerprint says of a file; `ctime` and `inode` only if a single machine reads it. */
interface FileFacts {
  readonly bytes: bigint;
  /** Times in ns since 1970. */
  readonly mtime: bigint;
  readonly ctime?: bigint;
  readonly inode?: bigint;
}

const OF_ONE_MACHINE = /^path;bytes=(\d+);mtime=(-?\d+);ctime=(-?\d+);inode=(\d+)$/;
const OF_ANY_MACHINE = /^path;bytes=(\d+);mtime=(-?\d+)$/;

/**
 * What may not change about a file, as text: size and modification time, and for a file that only one machine reads its status change time and inode, which
 * machines that mount the same share may report differently. Equal texts mean the same file; others are compared by `pathDifference`.
 */
export function pathFingerprint(stats: BigIntStats, oneMachine: boolean): string {
  const common = `path;bytes=${stats.size};mtime=${stats.mtimeNs}`;
  return oneMachine ? `${common};ctime=${stats.ctimeNs};inode=${stats.ino}` : common;
}

/** Why a file is not, or no longer, the one of the fingerprint; undefined: nothing shows it. */
export function pathDifference(fingerprint: string, stats: BigIntStats): string | undefined {
  const pinned = factsOf(fingerprint);
  if (pinned === undefined) return 'it was pinned in another way';
  if (stats.size !== pinned.bytes) return `it has ${stats.size} bytes, and had ${pinned.bytes}`;
  if (pinned.inode !== undefined && stats.ino !== pinned.inode) return 'another file took its place';
  if (pinned.ctime === undefined) {
    return sameTime(stats.mtimeNs, pinned.mtime) ? undefined : 'it was written to';
  }
  if (stats.mtimeNs !== pinned.mtime) return 'it was written to';
  if (stats.ctimeNs === pinned.ctime) return undefined;
  return 'its status changed (ctime): it was written to, renamed or linked, or its owner or rights were changed';
}

function factsOf(fingerprint: string): FileFacts | undefined {
  const own = OF_ONE_MACHINE.exec(fingerprint) ?? OF_ANY_MACHINE.exec(fingerprint);
  if (own === null) return undefined;
  const [, bytes = '', mtime = '', ctime, inode] = own;
  return {
    bytes: BigInt(bytes),
    mtime: BigInt(mtime),
    ...(ctime === undefined ? {} : { ctime: BigInt(ctime) }),
    ...(inode === undefined ? {} : { inode: BigInt(inode) }),
  };
}
