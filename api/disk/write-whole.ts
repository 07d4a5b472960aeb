import type { FileHandle } from 'node:fs/promises';
import { open, rename, rm } from 'node:fs/promises';
import type { Folder } from './open-folder';

export interface WholeFile {
  readonly folder: Folder;
  readonly name: string;
  /** Name that it has in the same folder until it is whole. */
  readonly partial: string;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Gives the whole file its name. Default: renames it, so that a file of that name is replaced. */
  readonly put?: (partial: string, target: string) => Promise<void>;
  /** What an error of the disk becomes; what the content rejects with passes as it is. */
  readonly failed?: (error: unknown) => unknown;
}

/**
 * Writes a private file (0600) that appears only when it is whole; once it resolves, file and name survive the machine. A failure leaves what was there before,
 * and nothing else.
 */
export async function writeWhole(file: WholeFile): Promise<void> {
  const { folder, name, content, put = rename } = file;
  const partial = folder.at(file.partial);
  const failed = (error: unknown): never => {
    throw file.failed === undefined ? error : file.failed(error);
  };
  try {
    const handle = await open(partial, 'wx', 0o600).catch(failed);
    try {
      for await (const chunk of content) await writeAll(handle, chunk).catch(failed);
      await handle.sync().catch(failed);
    } finally {
      await handle.close();
    }
    await put(partial, folder.at(name)).catch(failed);
    await folder.sync();
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength;) at += (await handle.write(chunk, at)).bytesWritten;
}
