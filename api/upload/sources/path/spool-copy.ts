import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { PathSource } from '../source';
import type { SourceAccess } from '../source-access';
import { SPOOLED } from './spool-file';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the real path of an upload's copy in the spool folder of this process; undefined for every other source.
 * Others may use that folder too, so nothing else in it is read or deleted.
 */
export async function spoolCopyOf(
  { spoolDir }: Pick<SourceAccess, 'spoolDir'>,
  { path: file, deleteAfter }: PathSource,
): Promise<string | undefined> {
  const { dir, name, ext, base } = path.parse(path.resolve(file));
  if (spoolDir === undefined || deleteAfter !== true || ext !== SPOOLED || !UUID.test(name)) return undefined;
  const [folder, spool] = await Promise.all([dir, spoolDir].map((one) => realpath(one).catch(() => one)));
  return folder === undefined || folder !== spool ? undefined : path.join(folder, base);
}
