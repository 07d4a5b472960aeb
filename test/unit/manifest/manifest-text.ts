import { readManifest, type ReadOptions } from '../../../manifest/read-manifest';
import type { ManifestItem } from '../../../manifest/row';

export type Bytes = string | Uint8Array;

/** The text in pieces of `pieceBytes` bytes. All pieces share the same memory, as those of a source may. */
export async function* inPieces(
  text: Bytes,
  pieceBytes = 64 * 1024,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = Buffer.from(text);
  const piece = Buffer.alloc(pieceBytes);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const length = bytes.copy(piece, 0, at, at + pieceBytes);
    yield piece.subarray(0, length);
    piece.fill(0xff);
  }
}

/** Everything that reading returns. Relative paths start at /srv. */
export async function readAll(
  text: Bytes,
  options: Partial<ReadOptions> & { readonly pieceBytes?: number } = {},
): Promise<ManifestItem[]> {
  const { pieceBytes, ...reading } = options;
  const all: ReadOptions = { format: 'csv', rowContext: { folder: '/srv' }, ...reading };
  const items: ManifestItem[] = [];
  for await (const item of readManifest(inPieces(text, pieceBytes), all)) items.push(item);
  return items;
}
