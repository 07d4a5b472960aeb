import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { outputFailed } from './output-failure';
import { inOutputFolder } from './output-path';
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
  const file = path.join(folder.path, 'account.jsonl');
  await inOutputFolder({ outputRoots, file, shown: folder.path, make: true }, (open) =>
    access(open.at('.'), constants.W_OK).catch((error: unknown) => {
      throw outputFailed(folder.path, error);
    }),
  );
}
