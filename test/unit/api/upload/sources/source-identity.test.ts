import fc from 'fast-check';
import type { SourceDescriptor } from '../../../../../api/upload/sources/source';
import {
  identitiesDiffer,
  identityText,
  sourceIdentity,
} from '../../../../../api/upload/sources/source-rules';

const PATH = 'path;bytes=12;mtime=1763800000000000000';

describe('the identity of a source', () => {
  const FILE = { kind: 'path', path: '/films/a.mp4' } as const;
  const OWN = { ...FILE, deleteAfter: true } as const;
  const OBJECT = { kind: 's3', bucket: 'films', key: 'a.mp4' } as const;
  const OF_URL = 'http;bytes=12;etag="a"';
  it.each<[string, SourceDescriptor, string, string | undefined]>([
    ['a file is its size and change time, whatever its inode', FILE, `${PATH};inode=7`, PATH],
    ['a file is no time of its metadata', FILE, `${PATH};ctime=5;inode=8`, PATH],
    ["a copy of a URL is what that URL's server said", { ...OWN, identity: OF_URL }, PATH, OF_URL],
    ['an object is its size and ETag', OBJECT, 's3;bytes=12;etag="a;b=c"', 's3;bytes=12;etag="a;b=c"'],
    ['a handed-over file is unknown', OWN, PATH, undefined],
    ['a handed-over file with a digest is that', { ...OWN, digest: 'ab' }, PATH, 'sha256=ab'],
  ])('of %s', (_what, source, fingerprint, identity) => {
    expect(sourceIdentity({ source, bytes: 12, fileName: 'a.mp4', fingerprint })).toBe(identity);
  });

  it.each([
    ['another ETag', 's3;bytes=12;etag="a"', 's3;bytes=12;etag="b"', true],
    ['the same ETag', 's3;bytes=12;etag="a"', 's3;bytes=12;etag="a"', false],
    ['another size, written in another way', 's3;bytes=12;etag="a"', `${PATH}9`.replace('12', '13'), true],
    ['the same size, other words', 'http;bytes=12;etag="a"', 'http;bytes=12;modified=today', false],
    ['another time of a file', PATH, PATH.replace('17638', '17639'), true],
    ['a time of which a share keeps whole seconds', PATH, `${PATH.slice(0, -9)}123456789`, false],
    ['the same before 1970', 'path;bytes=1;mtime=-2000000000', 'path;bytes=1;mtime=-1500000000', false],
    ['the same size, of which one only is known', 's3;bytes=12', 'http;bytes=12', false],
    ['another size, of which nothing else is known', 'http;bytes=12', 'http;bytes=13', true],
    ['the same size, of which nothing else is known', 'http;bytes=12', 'http;bytes=12', false],
    ['another digest', 'sha256=aa', 'sha256=bb', true],
    ['a digest and an ETag', 'sha256=aa', 's3;bytes=12;etag="a"', false],
    ['nothing known', undefined, 's3;bytes=12;etag="a"', false],
  ])('%s', (_what, one, other, differ) => {
    expect([identitiesDiffer(one, other), identitiesDiffer(other, one)]).toEqual([differ, differ]);
  });

  it('never differs from itself', () => {
    fc.assert(fc.property(fc.string(), (text) => !identitiesDiffer(text, text)));
  });

  it('is shown to people as a size and what distinguishes versions', () => {
    expect(identityText('s3;bytes=12;etag="a"')).toBe('12 bytes, ETag "a"');
    expect(identityText(PATH)).toBe('12 bytes, changed 2025-11-22T08:26:40.000Z');
    expect(identityText('sha256=ab')).toBe('SHA-256 ab');
    expect(identityText('http;bytes=12')).toBe('12 bytes');
  });
});
