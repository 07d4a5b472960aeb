import type { PinnedSource } from '../../sources/source';
import type { JournalPart } from './journal-entry';
import { sourceDiffers } from './journal-failure';

/** MD5 of a part of a source, in lower-case hex. */
export type PartMd5 = (part: {
  readonly source: PinnedSource;
  readonly offset: number;
  readonly bytes: number;
}) => Promise<string>;

export interface SentPart {
  readonly uploadId: string;
  /** Of this run. */
  readonly source: PinnedSource;
  readonly md5Of: PartMd5;
  /** What storage could not confirm counts as well: the session is over, so that nothing is sent again. */
  readonly trusted: boolean;
}

/**
 * Whether a part that an earlier run sent is what this run would send. Only an unchanged fingerprint saves reading it. Rejects with
 * `SourceChanged` where storage confirmed the MD5 of other bytes.
 */
export async function partHolds(
  { fingerprint, verified, eTag, offset, bytes }: JournalPart,
  { uploadId, source, md5Of, trusted }: SentPart,
): Promise<boolean> {
  if (source.fingerprint === fingerprint) return true;
  if (!verified) return trusted;
  if ((await md5Of({ source, offset, bytes })) === eTag.toLowerCase()) return true;
  throw sourceDiffers(uploadId, source.fileName);
}
