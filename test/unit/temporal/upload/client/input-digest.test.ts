import type { UploadRequest } from '../../../../../api/upload/types';
import { differingParts, inputDigest } from '../../../../../temporal/upload/client/input-digest';

const request: UploadRequest = {
  source: { kind: 'path', path: '/data/film.mp4', host: 'one' },
  media: { title: 'Film', tags: { a: '1', b: '2' } },
  metadata: { order: 1, nested: { x: 1, y: 2 } },
  ingestKey: 'k',
  options: {},
};
const digest = inputDigest(request);

describe('inputDigest', () => {
  it('does not depend on the order of fields, on the options or on the key', () => {
    const same: UploadRequest = {
      options: { concurrency: 8 },
      ingestKey: 'other',
      metadata: { nested: { y: 2, x: 1 }, order: 1 },
      media: { tags: { b: '2', a: '1' }, title: 'Film' },
      source: { host: 'one', path: '/data/film.mp4', kind: 'path' },
    };
    expect(inputDigest(same)).toBe(digest);
  });

  describe('of a URL', () => {
    const label = 'https://files.example/film.mp4';
    const digestOf = (url: unknown): string =>
      inputDigest({ ...request, source: { kind: 'http', label, url } });
    const one = digestOf('https://files.example/a/film.mp4?sig=1');

    it('is the same for two signed addresses of one file, and shows neither', () => {
      expect(digestOf('https://files.example/a/film.mp4?sig=2')).toBe(one);
      expect(one).not.toMatch(/film|example|sig/);
    });

    it.each(['https://files.example/b/film.mp4', 'https://files.example:8443/a/film.mp4'])(
      'differs for the file of the same name at %s',
      (other) => {
        expect(differingParts(digestOf(other), one)).toEqual(['source']);
      },
    );

    it('uses the label of a sealed address', () => {
      expect(digestOf({ keyId: 'k', sealed: '1' })).toBe(digestOf({ keyId: 'k', sealed: '2' }));
    });
  });

  it.each([
    ['bucket', { bucket: 'other' }],
    ['key', { key: 'b/film.mp4' }],
    ['version', { versionId: 'v2' }],
  ])('distinguishes S3 objects by their %s, and not by who pays', (_what, change) => {
    const object = { kind: 's3', bucket: 'films', key: 'a/film.mp4' } as const;
    const one = inputDigest({ ...request, source: object });
    expect(differingParts(inputDigest({ ...request, source: { ...object, ...change } }), one)).toEqual([
      'source',
    ]);
  });

  it.each([
    ['name', { fileName: 'other.mp4', bytes: 7 }],
    ['size', { fileName: 'film.mp4', bytes: 8 }],
  ])('distinguishes handed-over files by their %s, and not by where they are stored', (_what, other) => {
    const digestOf = (path: string, known: { fileName: string; bytes: number }): string =>
      inputDigest({ ...request, source: { kind: 'path', path, deleteAfter: true, ...known } });
    const film = { fileName: 'film.mp4', bytes: 7 };
    expect(digestOf('/shared/a1-film.mp4', film)).toBe(digestOf('/shared/b2-film.mp4', film));
    expect(differingParts(digestOf('/shared/a1', film), digestOf('/shared/a1', other))).toEqual(['source']);
  });

  it.each([
    ['source', { source: { kind: 'path', path: '/data/other.mp4', host: 'one' } }],
    ['source', { source: { kind: 'path', path: '/data/film.mp4', host: 'two' } }],
    ['title', { media: { ...request.media, title: 'Film 2' } }],
    ['tags', { media: { title: 'Film' } }],
    ['duration', { media: { ...request.media, duration: 5 } }],
    ['metadata', { metadata: {} }],
  ] as const)('differs only in %s if only that differs', (part, change) => {
    expect(differingParts(inputDigest({ ...request, ...change }), digest)).toEqual([part]);
  });
});

describe('differingParts', () => {
  it('names all parts if the other digest is unknown', () => {
    expect(differingParts(digest, undefined)).toEqual(['source', 'tags', 'title', 'metadata']);
  });

  it('names all media fields that differ', () => {
    const other = inputDigest({ ...request, media: { title: 'Film 2', creator: 'Ada' } });
    expect(differingParts(other, digest).sort()).toEqual(['creator', 'tags', 'title']);
    const none = inputDigest({ ...request, media: {} });
    expect(differingParts(digest, none).sort()).toEqual(['tags', 'title']);
    expect(differingParts(none, digest).sort()).toEqual(['tags', 'title']);
  });
});
