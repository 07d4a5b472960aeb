import { mediaTypeOf } from '../../api/upload/request/file-type';
import type { Place } from '../../places/place';
import type { PlaceAccess } from '../../places/place-access';
import { MediaServiceError } from '../../api/errors';
import { RangedBlob } from './ranged-blob';

/** Reads lengths of media, ms; undefined where the file does not tell, or only by reading all of it. */
export type DurationReader = (place: Place, bytes: number, fileType: string) => Promise<number | undefined>;

/**
 * Reads the length of video and audio from the files' headers: some kB of a file, of an object in S3 by ranges. Rejects with `Configuration` where the library is not installed.
 */
export async function durationReader(access: PlaceAccess): Promise<DurationReader> {
  const { parseBlob, parseFile } = await loadLibrary();
  const options = { duration: false, skipCovers: true, skipPostHeaders: true } as const;
  return async (place, bytes, fileType) => {
    const type = mediaTypeOf(fileType);
    if (type !== 'VIDEO' && type !== 'AUDIO') return undefined;
    try {
      const { format } =
        place.kind === 'path'
          ? await parseFile(place.path, options)
          : await parseBlob(new RangedBlob(bytes, (range) => access.s3.read(place, { range })), options);
      const ms = Math.round((format.duration ?? 0) * 1000);
      return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
    } catch (error) {
      // Unreadable as media is no reason not to upload it; unreadable as a file is told when it is uploaded or checked.
      if (error instanceof MediaServiceError) throw error;
      return undefined;
    }
  };
}

async function loadLibrary() {
  try {
    return await import('music-metadata');
  } catch (error) {
    throw new MediaServiceError(
      'Configuration',
      'The library that reads the length of media is not installed.',
      { hint: 'Install it: npm install -g music-metadata@11' },
      { cause: error },
    );
  }
}
