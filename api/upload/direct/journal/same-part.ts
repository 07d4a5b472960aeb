import type { PinnedSource } from '../../sources/source';
import type { JournalPart } from './journal-entry';
import { sourceDiffers } from './journal-failure';

/** MD5 of a part of a source, in lower-case hex. */
export type PartMd5 = (part: {
  readonly source: PinnedSource;
  readonly offset: number;
  readonly bytes: number;
}) => Promise<string>;

interface SentPart {
  readonly uploadId: string;
  /** The source of this run. */
  readonly source: PinnedSource;
  readonly md5Of: PartMd5;
}

/**
 * Resolves if a part that an earlier run sent has the bytes that this run would send, whatever storage reported. It
 * reads the part unless the fingerprint is unchanged. Rejects with `SourceChanged` if the bytes differ.
 */
export async function requireSamePart(
  { fingerprint, md5, offset, bytes }: JournalPart,
  { uploadId, source, md5Of }: SentPart,
): Promise<void> {
  if (source.fingerprint === fingerprint || (await md5Of({ source, offset, bytes })) === md5) return;
  throw sourceDiffers(uploadId, source.fileName);
}
