/** What one row adds to the summary of a check. */
export interface RowShare {
  /** With its name in the summary. */
  readonly fileType: string;
  readonly parts: number;
  /** Unset: unknown. */
  readonly bytes?: number;
}

/** Returns the share as a text without spaces. */
export function shareText({ fileType, parts, bytes }: RowShare): string {
  return [parts, bytes ?? '', encodeURIComponent(fileType)].join(',');
}

/** Reads the text of `shareText`; undefined for an empty text. */
export function readShare(text: string): RowShare | undefined {
  if (text === '') return undefined;
  const [parts, bytes = '', fileType = ''] = text.split(',');
  return {
    fileType: decodeURIComponent(fileType),
    parts: Number(parts),
    ...(bytes === '' ? {} : { bytes: Number(bytes) }),
  };
}
