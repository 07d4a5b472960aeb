/** What one row adds to the summary of a check. */
export interface RowShare {
  /** As the summary names it. */
  readonly fileType: string;
  readonly parts: number;
  /** Unset: not known. */
  readonly bytes?: number;
}

/** The share as a text without spaces. */
export function shareText({ fileType, parts, bytes }: RowShare): string {
  return [parts, bytes ?? '', encodeURIComponent(fileType)].join(',');
}

/** What `shareText` wrote; undefined for an empty text. */
export function readShare(text: string): RowShare | undefined {
  if (text === '') return undefined;
  const [parts, bytes = '', fileType = ''] = text.split(',');
  return {
    fileType: decodeURIComponent(fileType),
    parts: Number(parts),
    ...(bytes === '' ? {} : { bytes: Number(bytes) }),
  };
}
