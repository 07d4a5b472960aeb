import fc from 'fast-check';
import { folderPrefix, locationText, locationWithin, parseLocation } from '../../../files/file-location';
import { thrownBy } from '../api/upload/failure-of';

const CWD = '/srv/batches';

describe('the text of a file location', () => {
  test.each([
    ['s3://films/in/a b.csv', { kind: 's3', bucket: 'films', key: 'in/a b.csv' }],
    ['S3://films', { kind: 's3', bucket: 'films', key: '' }],
    ['s3://films/in/', { kind: 's3', bucket: 'films', key: 'in/' }],
    ['s3://films/50%25?x#y', { kind: 's3', bucket: 'films', key: '50%25?x#y' }],
    ['file:/srv/a.csv', { kind: 'path', path: '/srv/a.csv' }],
    ['file:reports/today', { kind: 'path', path: '/srv/batches/reports/today' }],
    ['file:../films/', { kind: 'path', path: '/srv/films' }],
    ['file:///srv/a%20b.csv', { kind: 'path', path: '/srv/a b.csv' }],
    [' out/july ', { kind: 'path', path: '/srv/batches/out/july' }],
    ['../up', { kind: 'path', path: '/srv/up' }],
    ['/abs', { kind: 'path', path: '/abs' }],
    ['C:/odd', { kind: 'path', path: '/srv/batches/C:/odd' }],
  ])('%s can be read', (text, location) => {
    expect(parseLocation(text, { cwd: CWD })).toEqual(location);
  });

  test('gives a host to a path, and none to an object', () => {
    const reading = { cwd: CWD, host: 'ingest-1' };
    expect(parseLocation('a', reading)).toEqual({ kind: 'path', path: '/srv/batches/a', host: 'ingest-1' });
    expect(parseLocation('s3://films/a', reading)).toEqual({ kind: 's3', bucket: 'films', key: 'a' });
  });

  test.each([
    ['an empty text', ' '],
    ['a NUL character', 'a\0b'],
    ['http', 'https://user:canary@host/a'],
    ['no bucket', 's3:///key'],
    ['one slash too few', 's3:/canary/key'],
    ['a malformed bucket name', 's3://_/key'],
    ['a file address without a path', 'file:'],
    ['a file address of another machine', 'file://canary/a'],
  ])('with %s is refused, and the error names the field and not the text', (_what, text) => {
    const failure = thrownBy(() => parseLocation(text, { cwd: CWD, field: '--to' }));
    expect([failure.code, failure.facts.field]).toEqual(['Validation', '--to']);
    expect(failure.message).not.toContain('canary');
  });

  test('is read back as the same location', () => {
    const key = fc
      .string({ unit: 'grapheme' })
      .filter((text) => !/[\0\n\r\u2028\u2029]/.test(text) && text.trim() === text);
    fc.assert(
      fc.property(key, (text) => {
        const location = { kind: 's3' as const, bucket: 'films', key: text };
        expect(parseLocation(locationText(location), { cwd: CWD })).toEqual(location);
      }),
    );
  });
});

describe('a location inside a folder', () => {
  test('is below it, on disk and in S3', () => {
    const path = { kind: 'path' as const, path: '/srv/b', host: 'ingest-1' };
    expect(locationWithin(path, 'pages/1.jsonl')).toEqual({ ...path, path: '/srv/b/pages/1.jsonl' });
    const s3 = { kind: 's3' as const, bucket: 'films', key: 'b' };
    expect(locationWithin(s3, 'pages/1.jsonl')).toEqual({ ...s3, key: 'b/pages/1.jsonl' });
    expect(locationWithin({ ...s3, key: '' }, 'a')).toEqual({ ...s3, key: 'a' });
    expect(locationWithin({ ...s3, key: 'b/' }, 'a')).toEqual({ ...s3, key: 'b/a' });
  });

  test.each(['', '/a', 'a/', '../a', 'a/./b', 'a/../../b', 'a\0'])('never leaves it: %j', (name) => {
    expect(thrownBy(() => locationWithin({ kind: 'path', path: '/srv' }, name)).code).toBe('Validation');
  });

  test('has a prefix that ends in a slash, or none for a whole bucket', () => {
    expect(['', 'a', 'a/'].map(folderPrefix)).toEqual(['', 'a/', 'a/']);
  });
});
