import type { FileHandle } from 'node:fs/promises';
import { openAllowed, openChecked } from '../../../../files/roots/open-allowed';
import type { PathSource } from '../source';
import type { SourceAccess } from '../source-access';
import { spoolCopyOf } from './spool-copy';

/** Opens the file of a source: one inside the roots, or an upload's copy in the spool folder. Rejects as `allowedPath` does. */
export async function openPathSource(
  access: Pick<SourceAccess, 'roots' | 'spoolDir'>,
  source: PathSource,
): Promise<FileHandle> {
  const { path: file } = source;
  const { roots } = access;
  const real = await spoolCopyOf(access, source);
  if (real === undefined) return openAllowed({ roots }, file);
  return openChecked({ real, file, roots }, async (opened) => opened === real);
}
