import { sameTime } from '../../api/upload/sources/source-rules';
import type { BigIntStats } from 'node:fs';

/** Sizes in bytes, times in ns since 1970. The last two are only set if a single machine reads the file. */
const FINGERPRINT = /^path;bytes=(\d+);mtime=(-?\d+)(?:;ctime=(-?\d+);inode=(\d+))?$/;

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
  const [whole, bytes = '', mtime = '', ctime, inode] = FINGERPRINT.exec(fingerprint) ?? [];
  if (whole === undefined) return "its recorded size and times can't be read";
  if (String(stats.size) !== bytes) return `it has ${stats.size} bytes, and had ${bytes}`;
  if (inode !== undefined && String(stats.ino) !== inode) return 'another file replaced it';
  const isSame =
    ctime === undefined ? sameTime(stats.mtimeNs, BigInt(mtime)) : String(stats.mtimeNs) === mtime;
  if (!isSame) return 'it was written to';
  if (ctime === undefined || String(stats.ctimeNs) === ctime) return undefined;
  return 'its status changed (ctime): it was written to, renamed or linked, or its owner or rights were changed';
}
