import { access, constants, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { outputFailed } from './output-failure';
import { outputPath } from './output-path';
import type { Place } from './place';
import type { PlaceAccess } from './place-access';

/**
 * Makes a folder and sees that it may be written to, before anything large is read. Rejects with `OutputFailed`, outside the output roots too. Of
 * an S3 prefix only the first write tells.
 */
export async function openOutputFolder(
  { outputRoots }: Pick<PlaceAccess, 'outputRoots'>,
  folder: Place,
): Promise<void> {
  if (folder.kind === 's3') return;
  const real = path.dirname(await outputPath(outputRoots, path.join(folder.path, 'account.jsonl')));
  try {
    await mkdir(real, { recursive: true, mode: 0o700 });
    await access(real, constants.W_OK);
  } catch (error) {
    throw outputFailed(folder.path, error);
  }
}
