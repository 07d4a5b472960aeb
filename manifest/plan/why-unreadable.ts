import { open } from 'node:fs/promises';
import { systemCodeOf } from '../../api/upload/sources/source-failure';
import type { Place } from '../../places/place';

/** Why a file that was found cannot be opened; undefined where it can. Objects in S3 are not asked for. */
export async function whyUnreadable(place: Place): Promise<'unreadable' | 'gone' | undefined> {
  if (place.kind === 's3') return undefined;
  try {
    const file = await open(place.path);
    await file.close();
    return undefined;
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT' ? 'gone' : 'unreadable';
  }
}
