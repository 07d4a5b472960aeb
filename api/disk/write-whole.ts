import type { FileHandle } from 'node:fs/promises';
import { open, rename, rm } from 'node:fs/promises';
import type { Folder } from './open-folder';

export interface WholeFile {
  readonly folder: Folder;
  readonly name: string;
  /** The file's name in the same folder until it is whole. */
  readonly partial: string;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Gives the whole file its final name. Default: renames it, which replaces a file of that name. */
  readonly put?: (partial: string, target: string) => Promise<void>;
  /** Converts an error of the disk. An error of the content passes unchanged. */
  readonly failed?: (error: unknown) => unknown;
}

/**
 * Writes a private file (0600) that appears only when it is whole. Once it resolves, file and name survive a crash of
 * the machine. A failure keeps the earlier file and leaves nothing else behind.
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
    // The original failure is thrown.
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength;) at += (await handle.write(chunk, at)).bytesWritten;
}
