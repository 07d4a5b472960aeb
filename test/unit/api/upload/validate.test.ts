import type { UploadRequest } from '../../../../api/upload/types';
import { checkUpload } from '../../../../api/upload/validate';
import { thrownBy } from './failure-of';

const GOOD: UploadRequest = {
  source: { kind: 'path', path: '/films/a.mp4' },
  media: { fileType: '3gp', creator: 'é'.repeat(255), duration: 0, resolution: 'HIGH', tags: { a: '' } },
  metadata: { nested: { failureReason: 'allowed here' } },
  ingestKey: 'key',
  options: { concurrency: 16, maxParts: 120 },
};

const HALF = 'x'.repeat(8_000_000);

/** Input from JSON, whose types the compiler does not check. */
const from = (change: object): UploadRequest => ({ ...GOOD, ...change });

describe('an upload request', () => {
  it('is accepted at the limits, with its file type as the interface spells it', () => {
    expect(checkUpload(GOOD)).toEqual({ ...GOOD, media: { ...GOOD.media, fileType: '3GPP' } });
  });

  it('may leave out the file type, which is then guessed', () => {
    const request = from({ media: { title: 'x', insights: { isLibrary: undefined } } });
    expect(checkUpload(request)).toBe(request);
  });

  it.each([
    ['an unsupported file type', { media: { fileType: 'exe' } }, 'fileType'],
    ['a creator of 256 characters', { media: { creator: 'c'.repeat(256) } }, 'creator'],
    ['a title that is a number', { media: { title: 5 } }, 'title'],
    ['a negative duration', { media: { duration: -1 } }, 'duration'],
    ['half a millisecond', { media: { duration: 0.5 } }, 'duration'],
    ['an unknown resolution', { media: { resolution: 'ULTRA' } }, 'resolution'],
    ['an insight that is a text', { media: { insights: { isLibrary: 'yes' } } }, 'insights.isLibrary'],
    ['a tag that is a number', { media: { tags: { year: 2026 } } }, 'tags.year'],
    ['tags that are a list', { media: { tags: ['a'] } }, 'tags'],
    ['metadata that is a list', { metadata: [1] }, 'metadata'],
    ['the reserved key failureReason', { metadata: { failureReason: 'x' } }, 'metadata.failureReason'],
    ['the key failureTimestamp', { metadata: { failureTimestamp: null } }, 'metadata.failureTimestamp'],
    ['metadata above 16 MB', { metadata: { big: 'ä'.repeat(8_000_000) } }, 'metadata'],
    ['tags and metadata above 16 MB', { media: { tags: { a: HALF } }, metadata: { b: HALF } }, 'metadata'],
    ['an empty path', { source: { kind: 'path', path: ' ' } }, 'source.path'],
    ['a NUL in the path', { source: { kind: 'path', path: '/a\0.mp4' } }, 'source.path'],
    ['a negative age', { source: { kind: 'path', path: '/a', minAgeMs: -1 } }, 'source.minAgeMs'],
    ['half a ms of age', { source: { kind: 'path', path: '/a', minAgeMs: 0.5 } }, 'source.minAgeMs'],
    ['an object without a bucket', { source: { kind: 's3', bucket: ' ', key: 'a' } }, 'source.bucket'],
    ['an object without a key', { source: { kind: 's3', bucket: 'b', key: '' } }, 'source.key'],
    ['an unknown kind of source', { source: { kind: 'ftp' } }, 'source'],
    ['an empty ingest key', { ingestKey: ' ' }, 'ingestKey'],
    ['an ingest key that is a number', { ingestKey: 7 }, 'ingestKey'],
    ['no parts at once', { options: { concurrency: 0 } }, 'options.concurrency'],
    ['17 parts at once', { options: { concurrency: 17 } }, 'options.concurrency'],
    ['121 parts', { options: { maxParts: 121 } }, 'options.maxParts'],
    ['a part size of 0', { options: { partBytes: 0 } }, 'options.partBytes'],
  ])('is refused for %s, and the error names the field', (_what, change, field) => {
    const error = thrownBy(() => checkUpload(from(change)));
    expect([error.code, error.facts.field]).toEqual(['Validation', field]);
  });
});
