import { ValidationError } from '../errors';
import type { MediaType } from '../media/media-filter';
import type { SourceContent, ContentKind, PinnedSource } from './sources/source';
import { sourceRefused } from './sources/source';

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
  const found = fileTypeOfName(fileName) ?? ofMimeType(mimeType);
  if (found !== undefined) return found;
  return refuse(
    extension === undefined
      ? `the file type can't be guessed from the name ${shown(fileName)} or the MIME type ${shown(mimeType)} of the source`
      : `${shown(fileName)} is ${extension.toUpperCase()}, which the service does not accept`,
  );
}

/** Returns the file type that a name's extension shows. */
export function fileTypeOfName(fileName: string | undefined): string | undefined {
  return ofExtension(extensionOf(fileName));
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

/** Bytes at the beginning of a source that show what it is. */
export const HEAD_BYTES = 512;

/** Containers of video may hold only audio, so they count as VIDEO and may be sent as audio. */
const SIGNATURES: ReadonlyArray<readonly [ContentKind, offset: number, latin1: readonly string[]]> = [
  ['VIDEO', 4, ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot']],
  ['VIDEO', 0, ['\x1A\x45\xDF\xA3', 'FLV\x01', '\x30\x26\xB2\x75\x8E\x66', 'OggS']],
  ['VIDEO', 8, ['AVI ']],
  ['IMAGE', 8, ['WEBP']],
  ['AUDIO', 8, ['WAVE']],
  ['IMAGE', 0, ['\xFF\xD8\xFF', '\x89PNG\r\n', 'GIF8', 'II*\0', 'MM\0*']],
  ['AUDIO', 0, ['ID3', 'fLaC']],
  ['DOCUMENT', 0, ['%PDF-']],
  ['OTHER', 0, ['\x1F\x8B\x08', 'PK\x03\x04', 'Rar!\x1A', '7z\xBC\xAF']],
];

const TEXTS: ReadonlyArray<readonly [ContentKind, RegExp]> = [
  // Too short to say what a file is, enough to believe its name.
  ['FRAMES', /^\xFF[\xE0-\xFF]/],
  ['HTML', /^(\xEF\xBB\xBF)?\s*<(!doctype html|html|head|body)[\s>]/i],
  ['MARKUP', /^(\xEF\xBB\xBF)?\s*<(\?xml|!--|!doctype|[a-z][\w:-]*[\s/>])/i],
  ['OTHER', /^(\xEF\xBB\xBF)?\s*(\{\s*"|\[\s*[[{"])[\t\n\r -~\x80-\xFF]*$/],
];

const MEDIA_KINDS: ReadonlySet<ContentKind | undefined> = new Set(['VIDEO', 'IMAGE', 'AUDIO', 'DOCUMENT']);

/** Describes a source by its first bytes, and by what its server says about it. */
export function contentOf(
  head: Uint8Array,
  headers: Readonly<Record<string, string | undefined>> = {},
): SourceContent {
  const text = Buffer.from(head).toString('latin1');
  const [kind] =
    SIGNATURES.find(([, offset, starts]) => starts.some((start) => text.startsWith(start, offset))) ??
    TEXTS.find(([, pattern]) => pattern.test(text)) ??
    [];
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  return {
    ...(type === undefined || type === '' ? {} : { type }),
    ...(encoding === undefined || ['', 'identity'].includes(encoding) ? {} : { encoding }),
    ...(kind === undefined ? {} : { kind }),
    ...(MEDIA_KINDS.has(kind) ? {} : { begins: beginningOf(Buffer.from(head)) }),
  };
}

/** Printable text in quotes, otherwise bytes in hexadecimal. */
function beginningOf(head: Buffer): string {
  const printable = /^[\t\n\r -~]*/.exec(head.toString('latin1'))?.[0] ?? '';
  if (printable.length < Math.min(8, head.byteLength))
    return head
      .subarray(0, 8)
      .toString('hex')
      .replace(/..(?!$)/g, '$& ');
  return `"${printable.trim().replace(/\s+/g, ' ').slice(0, 24)}"`;
}

/** The first bytes of a pinned source, from its reader. */
export async function headOf(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let left = HEAD_BYTES;
  for await (const piece of content) {
    // Its reader may use the memory again.
    pieces.push(Buffer.from(piece.subarray(0, left)));
    left -= piece.byteLength;
    // Read to its end, a body leaves its connection open for the next request.
    if (left < 0) break;
  }
  return Buffer.concat(pieces);
}

/**
 * Throws if what the source shows of its content contradicts the file type: a web page in place of a video, an archive,
 * or content that is compressed on the way. Unknown bytes are accepted, unless Content-Type says that they are text or
 * other media, or Content-Encoding that they are encoded.
 */
export function refuseOtherContent(
  { fileName, bytes, content = {} }: Pick<PinnedSource, 'fileName' | 'bytes' | 'content'>,
  fileType: string,
): void {
  const { type, encoding, begins } = content;
  // Some stores keep an encoding that only described how the object came to them.
  const isReadable = encoding === undefined || MEDIA_KINDS.has(content.kind);
  if (isReadable && fits(content, fileType)) return;
  const seen = [
    type ?? 'no Content-Type',
    ...(encoding === undefined ? [] : [`Content-Encoding ${encoding}`]),
    `${bytes} bytes`,
    ...(begins === undefined ? [] : [`begins ${begins}`]),
  ];
  throw sourceRefused(
    fileName,
    `does not contain ${fileType}: ${seen.join(', ')}`,
    'Open the source: it may be an error or login page. If it is right, {acceptAnyContent}.',
  );
}

function fits({ type = '', kind }: SourceContent, fileType: string): boolean {
  const wanted = mediaTypeOf(fileType);
  if (type === 'text/html' || kind === 'HTML' || kind === 'OTHER') return false;
  if (kind === 'MARKUP') return fileType === 'SVG';
  if (kind === 'FRAMES' && wanted === 'AUDIO') return true;
  if (kind !== undefined && kind !== 'FRAMES')
    return kind === wanted || (kind === 'VIDEO' && wanted === 'AUDIO');
  return !contradicts(type, wanted === 'VIDEO' ? 'AUDIO' : wanted, fileType);
}

/** Whether a Content-Type says that unknown bytes are something else. `video/mp4` may be audio, and the reverse. */
function contradicts(type: string, wanted: string | undefined, fileType: string): boolean {
  if (fileType === 'SVG') return /^(video|audio)\/|json|pdf/.test(type);
  if (/^text\/|[/+](json|xml|(x-)?(zip|gzip|tar|rar))/.test(type)) return true;
  if (type.startsWith('image/')) return wanted !== 'IMAGE';
  if (/^(video|audio)\//.test(type)) return wanted !== 'AUDIO';
  return type === 'application/pdf' && wanted !== 'DOCUMENT';
}
