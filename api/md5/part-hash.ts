import { createHash } from 'node:crypto';

/** MD5 of one part, fed while it is sent. */
export interface PartHash {
  /** Resolves once the caller may reuse the chunk. */
  update(chunk: Uint8Array): void | Promise<void>;
  /** Lower-case hex. After it, only `close` may be called. */
  digest(): string | Promise<string>;
  /** Ends the hash at any time, with or without a digest. Every hash must be closed. */
  close(): void;
}

export type PartHashFactory = () => PartHash;

/** Uses Node's own crypto: 1.3 to 1.7 CPU seconds per GiB. */
export const md5OfNode: PartHashFactory = () => {
  const hash = createHash('md5');
  return {
    update: (chunk) => {
      hash.update(chunk);
    },
    digest: () => hash.digest('hex'),
    close: () => undefined,
  };
};
