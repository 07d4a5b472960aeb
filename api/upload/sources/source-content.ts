import type { SourceContent } from './source';
import { mediaTypeOf } from '../request/file-type';
import { sourceRefused } from './source';
import type { ContentKind, PinnedSource } from './source';

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
