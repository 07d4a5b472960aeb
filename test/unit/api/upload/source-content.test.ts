import { contentOf, headOf, refuseOtherContent } from '../../../../api/upload/file-type';
import { thrownBy } from './failure-of';

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const noise = Buffer.from(Array.from({ length: 512 }, (_none, index) => (index * 151 + 7) % 256));
const MP4 = latin1('\0\0\0\x18ftypmp42');
const WAV = latin1('RIFF\0\0\0\0WAVEfmt ');
const JPEG = latin1('\xFF\xD8\xFF\xE0\0\x10JFIF');
const XML = '<?xml version="1.0"?>';
const PAGE = latin1('<!DOCTYPE html>\n<html><title>Sign in</title>');

const check = (fileType: string, head: Uint8Array, headers: Record<string, string>): void =>
  refuseOtherContent({ fileName: 'the file', bytes: 119, content: contentOf(head, headers) }, fileType);

const typed = (type: string): Record<string, string> => ({ 'content-type': type });
const NO_TYPE = {};
const GZIP = { ...typed('video/mp4'), 'content-encoding': 'gzip' };

it.each<[string, string, Uint8Array, Record<string, string>, string]>([
  ['a login page', 'MP4', PAGE, typed('text/html; a=b'), 'text/html, 119 bytes, begins "<!DOCTYPE html>'],
  ['an untyped page', 'MP4', PAGE, NO_TYPE, 'no Content-Type, 119 bytes, begins "<!DOCTYPE html> <html><t"'],
  ['a page as SVG', 'SVG', PAGE, typed('image/svg+xml'), 'image/svg+xml, 119 bytes'],
  ['a video that its server calls a page', 'MP4', MP4, typed('text/html'), 'text/html, 119 bytes'],
  ['an error of storage', 'PDF', latin1(`${XML}<Error/>`), NO_TYPE, 'begins "<?xml version="1.0"?><Er"'],
  ['an error in JSON', 'MP4', latin1('{"error":"expired"}'), NO_TYPE, 'begins "{"error":"expired"}"'],
  ['unknown bytes that are called JSON', 'MP4', noise, typed('application/problem+json'), '07 9e 35'],
  ['unknown bytes that are called text', 'AAC', noise, typed('text/plain'), 'text/plain, 119 bytes'],
  ['unknown bytes that are called a picture', 'MP4', noise, typed('image/png'), 'image/png'],
  ['an archive', 'MOV', latin1('PK\x03\x04\x14\0\0\0\0\0'), NO_TYPE, 'begins 50 4b 03 04 14 00 00 00'],
  ['compressed content', 'SVG', latin1('\x1F\x8B\x08\0\0\0\0\0'), NO_TYPE, 'begins 1f 8b 08 00'],
  ['a picture as video', 'MP4', JPEG, typed('video/mp4'), 'video/mp4, 119 bytes'],
  ['sound without pictures as video', 'MP4', WAV, NO_TYPE, 'no Content-Type, 119 bytes'],
  ['a video as document', 'PDF', MP4, NO_TYPE, 'no Content-Type'],
  ['compressed on its way', 'MP4', noise, GZIP, 'video/mp4, Content-Encoding gzip, 119 bytes'],
])('a source is refused if it is %s', (_what, fileType, head, headers, seen) => {
  const error = thrownBy(() => check(fileType, head, headers));
  expect(error.code).toBe('SourceMissing');
  expect(error.facts.hint).toContain('{acceptAnyContent}');
  expect(error.message).toContain(`the source the file does not contain ${fileType}: `);
  expect(error.message).toContain(seen);
});

describe('a source is accepted', () => {
  it.each<[string, string, Uint8Array, Record<string, string>]>([
    ['the right type', 'MP4', MP4, typed('video/mp4')],
    ['no type of its own', 'MP4', MP4, typed('application/octet-stream')],
    ["its server's default type", 'MP4', MP4, typed('text/plain')],
    ['another container of video', 'MP4', latin1('\x1A\x45\xDF\xA3\x01'), typed('video/webm')],
    ['a container that may hold only sound', 'AAC', MP4, typed('audio/mp4')],
    ['unknown bytes without a type', 'MP4', noise, NO_TYPE],
    ['unknown bytes that are called a video', 'WAV', noise, typed('video/mp4')],
    ['frames of sound with a default type', 'MP3', latin1('\xFF\xFB\x90\0'), typed('text/plain')],
    ['bytes like frames in a video', 'MP4', latin1('\xFF\xFB\x90\0'), NO_TYPE],
    ['another picture', 'JPG', latin1('\x89PNG\r\n\x1A\n'), typed('image/png')],
    ['SVG as text', 'SVG', latin1('<svg xmlns="x">'), typed('text/plain')],
    ['SVG with an XML declaration', 'SVG', latin1(`\xEF\xBB\xBF${XML}`), NO_TYPE],
    ['PDF', 'PDF', latin1('%PDF-1.7'), typed('application/pdf')],
    ['an encoding that changes nothing', 'MP4', MP4, { 'content-encoding': 'identity' }],
    ['an encoding that its bytes disprove', 'MP4', MP4, { 'content-encoding': 'aws-chunked' }],
  ])('with %s', (_what, fileType, head, headers) => {
    expect(() => check(fileType, head, headers)).not.toThrow();
  });

  it('if nobody looked at it', () => {
    expect(() => refuseOtherContent({ fileName: 'film.mp4', bytes: 1 }, 'MP4')).not.toThrow();
  });
});

it('the first bytes are copied out of the memory of their reader', async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    const memory = Buffer.alloc(300);
    for (const byte of [1, 2, 3]) yield memory.fill(byte);
  }
  const head = await headOf(pieces());
  expect([head.byteLength, head[0], head[299], head[300], head[511]]).toEqual([512, 1, 1, 2, 2]);
});
