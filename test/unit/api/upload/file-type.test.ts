import { fileTypeOf, mediaTypeOf, mimeTypeOf, SUPPORTED_FILE_TYPES } from '../../../../api/upload/file-type';
import { thrownBy } from './failure-of';

describe('the file type', () => {
  it.each([
    ['what the caller says, in any case', { fileType: 'mp4', fileName: 'a.pdf' }, 'MP4'],
    ['what the caller says, with a dot', { fileType: '.WebM' }, 'WEBM'],
    ['3gp as 3GPP', { fileType: '3gp' }, '3GPP'],
    ['m4v as MP4', { fileName: 'film.m4v' }, 'MP4'],
    ['the extension of the name', { fileName: 'Talk No. 1.FLAC', mimeType: 'video/mp4' }, 'FLAC'],
    ['the MIME type if the name has none', { fileName: 'download', mimeType: 'video/mp4; codecs=x' }, 'MP4'],
    ['the MIME type if the extension is unknown', { fileName: 'a.bin', mimeType: 'Audio/X-WAV' }, 'WAV'],
    ["guessed if the caller's is blank", { fileType: ' ', fileName: 'a.pdf' }, 'PDF'],
  ])('is %s', (_what, hints, expected) => {
    expect(fileTypeOf(hints)).toBe(expected);
  });

  it.each([
    ['an unsupported one', { fileType: 'exe', fileName: 'a.mp4' }],
    ['nothing to guess from', { fileName: 'README', mimeType: 'application/octet-stream' }],
  ])('is refused for %s, with the list of supported types', (_what, hints) => {
    const error = thrownBy(() => fileTypeOf(hints));
    expect(error.facts.field).toBe('fileType');
    expect(error.facts.hint).toMatch(/ one of MP4, .*3GPP.*, give that in \{fileType\}\.$/);
  });

  it("has the media types of the interface's table, and a MIME type that leads back to it", () => {
    const table = Object.fromEntries(SUPPORTED_FILE_TYPES.map((type) => [type, mediaTypeOf(type)]));
    expect(table).toEqual({
      ...Object.fromEntries(
        ['MP4', 'MOV', 'AVI', 'MKV', 'FLV', 'WMV', '3GPP', 'WEBM'].map((one) => [one, 'VIDEO']),
      ),
      ...Object.fromEntries(['JPG', 'JPEG', 'PNG', 'SVG'].map((one) => [one, 'IMAGE'])),
      ...Object.fromEntries(['MP3', 'WAV', 'AAC', 'FLAC'].map((one) => [one, 'AUDIO'])),
      PDF: 'DOCUMENT',
    });
    for (const type of SUPPORTED_FILE_TYPES) {
      expect(mediaTypeOf(fileTypeOf({ mimeType: mimeTypeOf(type) }))).toBe(mediaTypeOf(type));
    }
  });
});
