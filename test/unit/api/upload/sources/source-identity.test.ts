import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  identitiesDiffer,
  identityText,
  sourceIdentity,
} from '../../../../../api/upload/sources/source-rules';

const PATH = 'path;bytes=12;mtime=1763800000000000000';

describe('the identity of a source', () => {
  it('of a file is its size and change time, whatever its inode', () => {
    const source = { kind: 'path', path: '/films/a.mp4', host: 'one' } as const;
    const pinned = { source, bytes: 12, fileName: 'a.mp4', fingerprint: `${PATH};inode=7` };
    expect(sourceIdentity(pinned)).toBe(PATH);
    expect(sourceIdentity({ ...pinned, fingerprint: `${PATH};inode=8` })).toBe(PATH);
    expect(sourceIdentity({ ...pinned, fingerprint: `${PATH};ctime=5;inode=8` })).toBe(PATH);
  });

  it("of a copy of a URL is what that URL's server said", () => {
    const identity = 'http;bytes=12;etag="a"';
    const source = { kind: 'path', path: '/spool/a.spooled', deleteAfter: true, identity } as const;
    expect(sourceIdentity({ source, bytes: 12, fileName: 'a.mp4', fingerprint: PATH })).toBe(identity);
  });

  it('of an object is its size and ETag', () => {
    const fingerprint = 's3;bytes=12;etag="a;b=c"';
    const source = { kind: 's3', bucket: 'films', key: 'a.mp4' } as const;
    expect(sourceIdentity({ source, bytes: 12, fileName: 'a.mp4', fingerprint })).toBe(fingerprint);
  });

  it('of a file that was handed over is its digest, or unknown without one', () => {
    const source = { kind: 'path', path: '/shared/a.mp4', deleteAfter: true } as const;
    const pinned = { source, bytes: 12, fileName: 'a.mp4', fingerprint: PATH };
    expect(sourceIdentity(pinned)).toBeUndefined();
    expect(sourceIdentity({ ...pinned, source: { ...source, digest: 'ab' } })).toBe('sha256=ab');
  });

  it.each([
    ['another ETag', 's3;bytes=12;etag="a"', 's3;bytes=12;etag="b"', true],
    ['the same ETag', 's3;bytes=12;etag="a"', 's3;bytes=12;etag="a"', false],
    ['another size, written in another way', 's3;bytes=12;etag="a"', `${PATH}9`.replace('12', '13'), true],
    ['the same size, other words', 'http;bytes=12;etag="a"', 'http;bytes=12;modified=today', false],
    ['another time of a file', PATH, PATH.replace('17638', '17639'), true],
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
