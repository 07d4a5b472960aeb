import { createHash } from 'node:crypto';
import type { Answer } from '../http/answer';
import type { IncomingMessage } from 'node:http';
import type { UrlSigner } from './url-signature';

/** The service's view of its object storage. Two implementations: `builtin-storage` and `s3-storage`. */
export interface Storage {
  /** Signs the URLs of parts. */
  readonly urls: UrlSigner;
  /** Opens a multipart upload. Resolves with its id. */
  createUpload(keyName: string): Promise<string>;
  /** @throws StorageRefusal with storage's code: InvalidPart, EntityTooSmall, NoSuchUpload … */
  completeUpload(upload: UploadToComplete): Promise<void>;
  /**
   * Answers one request to a pre-signed URL, whose body arrives as `body`. Rejects with `BrokenBody` if it ended early.
   */
  receive(request: IncomingMessage, body: AsyncIterable<Buffer>): Promise<Answer>;
  /** A completed object's bytes, chunk by chunk. */
  readObject(keyName: string): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface UploadToComplete {
  readonly keyName: string;
  readonly s3UploadId: string;
  /** Ascending; ETags unquoted. */
  readonly parts: readonly { readonly partNumber: number; readonly eTag: string }[];
}

/** The client's body ended before its Content-Length. */
export class BrokenBody extends Error {}

/**
 * Bytes and SHA-256 (hex) of a completed object, read in constant memory. Rejects with StorageRefusal if the object
 * does not exist.
 */
export async function describeObject(
  storage: Storage,
  keyName: string,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of storage.readObject(keyName)) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
