import type { EarlierSession, UploadProgress, UploadRequest } from '../../api/upload/request/upload-request';
import type { UploadMemo } from './upload';

type Named = { readonly [Name in keyof EarlierSession]?: UploadMemo[Name] | undefined };

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

/** What an upload that ended without a result left for its next run. */
export type Left = Pick<UploadRequest, 'earlier' | 'startPending'>;

/** The same, as its memo or result line says. */
export function leftIn(named: Named & Pick<UploadMemo, 'startPending'>): Left {
  const earlier = earlierSessionOf(named);
  return {
    ...(earlier === undefined ? {} : { earlier }),
    ...(named.startPending === true ? { startPending: true } : {}),
  };
}

const ENDED_FROM_OUTSIDE: ReadonlySet<string> = new Set(['TERMINATED', 'TIMED_OUT']);

/** The same of a workflow. One that was ended from outside could not note that its `start` had no answer. */
export function leftBy({ status, memo }: Ended): Left {
  const left = leftIn(memo);
  const isKnown = left.earlier !== undefined || !ENDED_FROM_OUTSIDE.has(status.name);
  return isKnown ? left : { startPending: true };
}

interface Ended {
  readonly status: { readonly name: string };
  readonly memo: UploadMemo;
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
  return earlierSessionOf({ uploadId, mediaId, fileName, fileType, bytes, identity });
}
