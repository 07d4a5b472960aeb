import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { goneOrFailed } from './output-failure';
import { outputPathInFolder } from './output-path';
import type { FileLocation } from './file-location';
import type { FileAccess } from './files';

/**
 * Creates a folder and checks that it can be written, before anything large is read. Rejects with `OutputFailed`, also
 * outside the output roots. For an S3 prefix, only the first write shows it.
 */
export async function openOutputFolder(
  { outputRoots }: Pick<FileAccess, 'outputRoots'>,
  folder: FileLocation,
): Promise<void> {
  if (folder.kind === 's3') return;
  const file = await outputPathInFolder(outputRoots, path.join(folder.path, 'results.jsonl'), folder.path);
  await access(path.dirname(file), constants.W_OK).catch((error: unknown) => {
    throw goneOrFailed(folder.path, error);
  });
}
