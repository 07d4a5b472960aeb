import { access, open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ValidationError } from '../api/errors';

export interface Destination {
  readonly cwd: string;
  readonly path: string;
  /** Replace a file that is there already. */
  readonly replace: boolean;
}

/**
 * Writes pieces of text to a file that appears only when it is whole: until then it is called `<name>.part`, and a failure removes
 * that. Throws a `ValidationError` on `--output` where the file exists or cannot be written.
 */
export async function writeWholeFile(
  { cwd, path, replace }: Destination,
  pieces: AsyncIterable<string>,
): Promise<{ path: string; bytes: number }> {
  const target = resolve(cwd, path);
  if (!replace && (await exists(target))) {
    throw new ValidationError(
      '--output',
      `${target} exists already.`,
      'Choose another name, or replace it with --force.',
    );
  }
  const partial = `${target}.part`;
  const file = await open(partial, 'w').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ValidationError(
      '--output',
      `${target} cannot be written: ${reason}`,
      'Choose a folder that exists and may be written.',
    );
  });
  let bytes = 0;
  try {
    for await (const piece of pieces) bytes += (await file.write(piece)).bytesWritten;
    await file.close();
    await rename(partial, target);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
  return { path: target, bytes };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
