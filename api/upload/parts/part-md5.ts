import type { SourceReader } from '../sources/source';
import { md5Engine } from '../../md5/md5-engine';

/** Returns the MD5 of bytes [offset, offset + bytes) of a source in hex, read in a constant amount of memory. */
export async function partMd5(
  reader: SourceReader,
  { offset, bytes }: { readonly offset: number; readonly bytes: number },
  signal?: AbortSignal,
): Promise<string> {
  const hash = md5Engine.open();
  try {
    for await (const chunk of reader.read(offset, bytes, signal)) await hash.update(chunk);
    return await hash.digest();
  } finally {
    hash.close();
  }
}
