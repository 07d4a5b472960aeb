import { mediaTypeOf } from '../../api/upload/request/file-type';
import type { FileLocation } from '../../files/file-location';
import type { FileAccess } from '../../files/files';
import { MediaServiceError } from '../../api/errors';
import { RangedBlob } from './ranged-blob';

/** Reads lengths of media, ms. Undefined if the file does not contain it, or only a complete read would show it. */
export type DurationReader = (
  location: FileLocation,
  bytes: number,
  fileType: string,
) => Promise<number | undefined>;

/**
 * Reads the length of video and audio from the files' headers: some kB of a file, or ranges of an object in S3. Rejects
 * with `Configuration` if the library is not installed.
 */
export async function durationReader(access: FileAccess): Promise<DurationReader> {
  const { parseBlob, parseFile } = await loadLibrary();
  const options = { duration: false, skipCovers: true, skipPostHeaders: true } as const;
  return async (location, bytes, fileType) => {
    const type = mediaTypeOf(fileType);
    if (type !== 'VIDEO' && type !== 'AUDIO') return undefined;
    try {
      const { format } =
        location.kind === 'path'
          ? await parseFile(location.path, options)
          : await parseBlob(new RangedBlob(bytes, (range) => access.s3.read(location, { range })), options);
      const ms = Math.round((format.duration ?? 0) * 1000);
      return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
    } catch (error) {
      // A file that is not readable media may still be uploaded. A file that can't be read at all is reported at its
      // upload or check.
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
      { hint: 'Install it: npm install -g music-metadata@12' },
      { cause: error },
    );
  }
}
