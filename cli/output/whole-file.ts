import { open, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ValidationError } from '../../api/errors';
import { outputFailed } from '../errors/output-failure';

export interface Destination {
  readonly cwd: string;
  readonly path: string;
  /** Replace a file that is there already. */
  readonly replace: boolean;
}

/**
 * Writes pieces of text to a file that appears only when it is whole: until then it is called `<name>.part`, and a failure removes
 * that. Throws a `ValidationError` on `--output` where the file exists, is a folder or cannot be opened, before the first piece is asked for;
 * `OutputFailed` where it takes no more.
 */
export async function writeWholeFile(
  { cwd, path, replace }: Destination,
  pieces: AsyncIterable<string>,
): Promise<{ path: string; bytes: number }> {
  const target = resolve(cwd, path);
  const there = await stat(target).catch(() => undefined);
  if (there?.isDirectory() === true) {
    throw new ValidationError('--output', `${target} is a folder.`, 'Name a file in it.');
  }
  if (!replace && there !== undefined) {
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
  const failed = (error: NodeJS.ErrnoException): never => {
    throw outputFailed(target, error);
  };
  let bytes = 0;
  try {
    for await (const piece of pieces) bytes += (await file.write(piece).catch(failed)).bytesWritten;
    await file.close().catch(failed);
    await rename(partial, target).catch(failed);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
  return { path: target, bytes };
}
