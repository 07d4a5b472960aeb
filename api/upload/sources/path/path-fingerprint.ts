import type { BigIntStats } from 'node:fs';

const INODE = ';inode=';

/**
 * What may not change about a file, as text: size and time of last change, and the inode where one machine alone reads it (machines that
 * mount the same share may count inodes and fractions of a second differently).
 */
export function pathFingerprint(stats: BigIntStats, oneMachine: boolean): string {
  if (!oneMachine) return `path;bytes=${stats.size};mtime=${stats.mtimeMs / 1000n}`;
  return `path;bytes=${stats.size};mtime=${stats.mtimeNs}${INODE}${stats.ino}`;
}

/** Whether a fingerprint was taken for one machine alone: a later one is taken in the same form. */
export function isOfOneMachine(fingerprint: string): boolean {
  return fingerprint.includes(INODE);
}
