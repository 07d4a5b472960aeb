import type { EarlierSession } from '../../api/upload/request/upload-request';
import type { UploadMemo } from '../contract';

type Named = Pick<UploadMemo, keyof EarlierSession>;

/** The session that an upload left, as its memo or its line of the results names it; undefined if it had begun none. */
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
