import { sameTime } from '../../api/upload/sources/source-identity';
import type { BigIntStats } from 'node:fs';

/** What a fingerprint says about a file. `ctime` and `inode` are only set if a single machine reads it. */
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
 * Returns what must not change about a file, as text: size and modification time. For a file that only one machine
 * reads, it adds status change time and inode; machines that mount the same share may report these differently. Equal
 * texts mean the same file. Use `pathDifference` to compare others.
 */
export function pathFingerprint(stats: BigIntStats, oneMachine: boolean): string {
  const common = `path;bytes=${stats.size};mtime=${stats.mtimeNs}`;
  return oneMachine ? `${common};ctime=${stats.ctimeNs};inode=${stats.ino}` : common;
}

/** Returns why a file is not, or no longer, the one with the fingerprint. Undefined: nothing shows a difference. */
export function pathDifference(fingerprint: string, stats: BigIntStats): string | undefined {
  const pinned = factsOf(fingerprint);
  if (pinned === undefined) return "its recorded size and times can't be read";
  if (stats.size !== pinned.bytes) return `it has ${stats.size} bytes, and had ${pinned.bytes}`;
  if (pinned.inode !== undefined && stats.ino !== pinned.inode) return 'another file replaced it';
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
