import { open } from 'node:fs/promises';
import { systemCodeOf } from '../../api/upload/sources/source-failure';
import type { FileLocation } from '../../files/file-location';

/** Returns why an existing file can't be opened; undefined if it can. It does not check objects in S3. */
export async function whyUnreadable(location: FileLocation): Promise<'unreadable' | 'gone' | undefined> {
  if (location.kind === 's3') return undefined;
  try {
    const file = await open(location.path);
    await file.close();
    return undefined;
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT' ? 'gone' : 'unreadable';
  }
}
