import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ValidationError } from '../../api/errors';

/** Rejects if the argument is a folder of files instead of their manifest. */
export async function refuseFolder(text: string, cwd: string): Promise<void> {
  const facts = await stat(resolve(cwd, text)).catch(() => undefined);
  if (facts?.isDirectory() !== true) return;
  throw new ValidationError(
    'MANIFEST',
    `${text} is a folder, not a manifest.`,
    'Make a manifest of its files with `media-service batch plan`, and give that.',
  );
}
