import { createHash } from 'node:crypto';

/** MD5 of one part, fed while it is sent. An implementation may hash elsewhere (a worker thread): then `update` resolves once the chunk may be reused. */
export interface PartHash {
  update(chunk: Uint8Array): void | Promise<void>;
  /** Lower-case hex. */
  digest(): string | Promise<string>;
}

export type PartHashFactory = () => PartHash;

/** On this thread, with Node's own crypto: 1.3 to 1.5 CPU seconds per GiB. */
export const md5OnThisThread: PartHashFactory = () => {
  const hash = createHash('md5');
  return {
    update: (chunk) => {
      hash.update(chunk);
    },
    digest: () => hash.digest('hex'),
  };
};
