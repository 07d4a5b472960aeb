import { ValidationError } from '../../errors';
import type { MediaType } from '../../media/media-filter';

interface FileTypeRow {
  readonly mediaType: MediaType;
  readonly mimeType: string;
  /** Further MIME types and extensions that mean the same. */
  readonly alsoMime?: readonly string[];
  readonly alsoExtension?: readonly string[];
}

/** api.md, "Supported extensions and their media type". */
const FILE_TYPES: Readonly<Record<string, FileTypeRow>> = {
  MP4: { mediaType: 'VIDEO', mimeType: 'video/mp4', alsoMime: ['video/x-m4v'], alsoExtension: ['M4V'] },
  MOV: { mediaType: 'VIDEO', mimeType: 'video/quicktime' },
  AVI: {
    mediaType: 'VIDEO',
    mimeType: 'video/x-msvideo',
    alsoMime: ['video/avi', 'video/vnd.avi', 'video/msvideo'],
  },
  MKV: { mediaType: 'VIDEO', mimeType: 'video/x-matroska', alsoMime: ['video/matroska'] },
  FLV: { mediaType: 'VIDEO', mimeType: 'video/x-flv' },
  WMV: { mediaType: 'VIDEO', mimeType: 'video/x-ms-wmv' },
  '3GPP': { mediaType: 'VIDEO', mimeType: 'video/3gpp', alsoExtension: ['3GP'] },
  WEBM: { mediaType: 'VIDEO', mimeType: 'video/webm' },
  JPG: { mediaType: 'IMAGE', mimeType: 'image/jpeg', alsoMime: ['image/jpg', 'image/pjpeg'] },
  JPEG: { mediaType: 'IMAGE', mimeType: 'image/jpeg' },
  PNG: { mediaType: 'IMAGE', mimeType: 'image/png' },
  SVG: { mediaType: 'IMAGE', mimeType: 'image/svg+xml' },
  MP3: { mediaType: 'AUDIO', mimeType: 'audio/mpeg', alsoMime: ['audio/mp3'] },
  WAV: {
    mediaType: 'AUDIO',
    mimeType: 'audio/wav',
    alsoMime: ['audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
  },
  AAC: { mediaType: 'AUDIO', mimeType: 'audio/aac', alsoMime: ['audio/x-aac', 'audio/aacp'] },
  FLAC: { mediaType: 'AUDIO', mimeType: 'audio/flac', alsoMime: ['audio/x-flac'] },
  PDF: { mediaType: 'DOCUMENT', mimeType: 'application/pdf' },
};

export const SUPPORTED_FILE_TYPES: readonly string[] = Object.keys(FILE_TYPES);

interface FileTypeHints {
  /** As the caller gave it: any case, with or without a dot. If it is set, the other hints do not count. */
  readonly fileType?: string | undefined;
  readonly fileName?: string | undefined;
  readonly mimeType?: string | undefined;
}

/**
 * Returns the interface's `fileType` of a file, in upper case: the caller's choice, else from the name's extension,
 * else from the MIME type. `3gp` is 3GPP, `m4v` is MP4. Throws a `ValidationError` that names `fileType` if it is not supported or
 * can't be guessed. api.md, "Upload start request: media object".
 */
export function fileTypeOf({ fileType, fileName, mimeType }: FileTypeHints): string {
  if (fileType !== undefined && fileType.trim() !== '')
    return ofExtension(fileType) ?? refuse(`the file type "${shorten(fileType)}" is not supported`);
  const extension = extensionOf(fileName);
  const found = ofExtension(extension) ?? ofMimeType(mimeType);
  if (found !== undefined) return found;
  return refuse(
    extension === undefined
      ? `the file type can't be guessed from the name ${shown(fileName)} or the MIME type ${shown(mimeType)} of the source`
      : `${shown(fileName)} is ${extension.toUpperCase()}, which the service does not accept`,
  );
}

/** Returns VIDEO, IMAGE, AUDIO or DOCUMENT; undefined for a file type that the interface does not list. */
export function mediaTypeOf(fileType: string): MediaType | undefined {
  return rowOf(fileType)?.mediaType;
}

/** Returns the MIME type of a file type; undefined for one that the interface does not list. */
export function mimeTypeOf(fileType: string): string | undefined {
  return rowOf(fileType)?.mimeType;
}

function rowOf(fileType: string): FileTypeRow | undefined {
  const canonical = ofExtension(fileType);
  return canonical === undefined ? undefined : FILE_TYPES[canonical];
}

function ofExtension(extension: string | undefined): string | undefined {
  const wanted = extension?.trim().replace(/^\./, '').toUpperCase();
  return SUPPORTED_FILE_TYPES.find(
    (name) => name === wanted || (wanted !== undefined && FILE_TYPES[name]?.alsoExtension?.includes(wanted)),
  );
}

function ofMimeType(mimeType: string | undefined): string | undefined {
  const wanted = mimeType?.split(';')[0]?.trim().toLowerCase();
  if (wanted === undefined || wanted === '') return undefined;
  return SUPPORTED_FILE_TYPES.find((name) => {
    const row = FILE_TYPES[name];
    return row?.mimeType === wanted || row?.alsoMime?.includes(wanted) === true;
  });
}

function extensionOf(fileName: string | undefined): string | undefined {
  return fileName?.match(/\.([A-Za-z0-9]+)$/)?.[1];
}

function refuse(message: string): never {
  const types = SUPPORTED_FILE_TYPES.join(', ');
  throw new ValidationError('fileType', message, `If the file is one of ${types}, give that in {fileType}.`);
}

/** The end of a name or type, in quotes. */
function shown(text: string | undefined): string {
  const last = text?.split(/[/\\]/).at(-1) ?? '';
  return last === '' ? '(none)' : JSON.stringify(shorten(last));
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/**
 * Returns the MIME type of a Content-Type header, without its parameters. Undefined if it is missing or only says
 * "bytes of some kind".
 */
export function mimeTypeOfHeader(header: string | undefined): string | undefined {
  const type = header?.split(';')[0]?.trim().toLowerCase();
  return type === undefined || type === '' || type.endsWith('/octet-stream') ? undefined : type;
}
