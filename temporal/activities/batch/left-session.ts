import type { UploadMemo } from '../../contract';

/** The session that an upload without a result left, and what is known of its file: only the upload's memo tells. */
export interface LeftSession {
  readonly uploadId: string;
  readonly bytes?: number;
  readonly fileType?: string;
}

/** Undefined where it had begun none. */
export function leftSessionOf({ uploadId, bytes, fileType }: UploadMemo): LeftSession | undefined {
  if (uploadId === undefined) return undefined;
  return {
    uploadId,
    ...(bytes === undefined ? {} : { bytes }),
    ...(fileType === undefined ? {} : { fileType }),
  };
}
