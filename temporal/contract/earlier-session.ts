import type { EarlierSession, UploadProgress } from '../../api/upload/request/upload-request';
import type { UploadMemo } from './upload';

type Named = Pick<UploadMemo, keyof EarlierSession>;

/** The session that an upload left, from its memo or its result line. Undefined if it had begun none. */
export function earlierSessionOf(named: Named): EarlierSession | undefined {
  const { uploadId, mediaId, fileName, fileType, bytes, identity } = named;
  if (uploadId === undefined || fileName === undefined || fileType === undefined || bytes === undefined) {
    return undefined;
  }
  return {
    uploadId,
    fileName,
    fileType,
    bytes,
    ...(mediaId === undefined ? {} : { mediaId }),
    ...(identity === undefined ? {} : { identity }),
  };
}

/**
 * The session and file of a running upload. `earlier`: a session that an earlier run left, which this upload reads
 * first.
 */
export function sessionOf(
  { uploadId, mediaId, bytesTotal: bytes, fileName, fileType }: UploadProgress,
  {
    identity,
    earlier,
  }: { readonly identity?: string | undefined; readonly earlier?: EarlierSession | undefined },
): EarlierSession | undefined {
  if (uploadId !== undefined && uploadId === earlier?.uploadId) return earlier;
  return earlierSessionOf(known({ uploadId, mediaId, fileName, fileType, bytes, identity }));
}

function known(named: { readonly [Name in keyof Named]: Named[Name] | undefined }): Named {
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}
