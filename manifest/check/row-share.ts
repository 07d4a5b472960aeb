/** What one row adds to the summary of a check. */
export interface RowShare {
  /** With its name in the summary. */
  readonly fileType: string;
  /** Unset: unknown. */
  readonly bytes?: number;
}

/** Returns the share as a text without spaces. */
export function shareText({ fileType, bytes }: RowShare): string {
  return [bytes ?? '', encodeURIComponent(fileType)].join(',');
}

/** Reads the text of `shareText`; undefined for an empty text. */
export function readShare(text: string): RowShare | undefined {
  if (text === '') return undefined;
  const [bytes = '', fileType = ''] = text.split(',');
  return {
    fileType: decodeURIComponent(fileType),
    ...(bytes === '' ? {} : { bytes: Number(bytes) }),
  };
}
