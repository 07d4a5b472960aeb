import fc from 'fast-check';
import type { SourceDescriptor } from '../../../../../api/upload/sources/source';
import {
  fileNameOfSource,
  labelOfSource,
  meaningOfSource,
  pathOfSource,
  typedFileName,
  urlOfSource,
} from '../../../../../api/upload/sources/source-rules';
import { addressedSource, checkSource } from '../../../../../api/upload/validate';
import { thrownBy } from '../failure-of';

const LABEL = 'https://h/a.mp4';
const url = (address: unknown): SourceDescriptor => ({ kind: 'http', url: address, label: LABEL });
const object = (key: string): SourceDescriptor => ({ kind: 's3', bucket: 'films', key });
const SEALED = { keyId: 'k', sealed: 'x' };

const path = (at: string, more = {}): SourceDescriptor => ({ kind: 'path', path: at, ...more });

type Text = string | undefined;
test.each<[string, SourceDescriptor, label: string, name: Text, typed: Text]>([
  ['a file', path('/srv/client-x/film.mp4'), 'film.mp4', 'film.mp4', 'film.mp4'],
  ['a file of Windows', path('C:\\client-x\\film.mp4'), 'film.mp4', 'film.mp4', 'film.mp4'],
  ['a file without an extension', path('/v.2/film'), 'film', 'film', 'film'],
  ['a handed-over file', path('/s/0f', { fileName: 'film.mp4' }), 'film.mp4', 'film.mp4', 'film.mp4'],
  ['an encoded URL with a query', url('https://h/a/f%C3%AFlm.mp4?x=a.mov'), LABEL, 'fïlm.mp4', 'fïlm.mp4'],
  ['a URL without an extension', url('https://h/v.2/film'), LABEL, 'film', undefined],
  ['a URL of a folder', url('https://h/films/'), LABEL, undefined, undefined],
  ['a sealed URL', url(SEALED), LABEL, undefined, undefined],
  ['an object', object('client-x/film.mp4'), 's3://films/film.mp4', 'film.mp4', 'film.mp4'],
  ['an object without an extension', object('v.2/film'), 's3://films/film', 'film', undefined],
])('the label of %s shows no folder, and its name is known or not', (_what, source, label, name, typed) => {
  expect(labelOfSource(source)).toBe(label);
  expect([fileNameOfSource(source), typedFileName(source)]).toEqual([name, typed]);
});

test.each<[string, SourceDescriptor, path: Text, address: Text]>([
  ['a file is on a disk', path('/srv/film.mp4'), '/srv/film.mp4', undefined],
  ['a URL is on a host', url('https://h/a.mp4?x=1'), undefined, 'https://h/a.mp4?x=1'],
  ['a sealed URL shows no host', url(SEALED), undefined, undefined],
  ['an object is in a store that settings name', object('a.mp4'), undefined, undefined],
])('%s', (_what, source, path, address) => {
  expect([pathOfSource(source), urlOfSource(source)?.href]).toEqual([path, address]);
});

describe('an address', () => {
  test('is a source that passes its own check, and has its label', () => {
    const name = fc.stringMatching(/^[a-z0-9]{1,9}\.mp4$/);
    const start = fc.constantFrom('http://h/', 'https://h:8443/a/', 's3://films/', 'S3://films/a/');
    fc.assert(
      fc.property(start, name, (prefix, file) => {
        const source = addressedSource(prefix + file, {});
        if (source === undefined) throw new Error('No source was found.');
        expect(() => checkSource(source)).not.toThrow();
        expect([fileNameOfSource(source), labelOfSource(source).endsWith(`/${file}`)]).toEqual([file, true]);
      }),
    );
  });

  test('takes the options of its kind, and no others', () => {
    const options = { secret: 'cdn' };
    expect(addressedSource(LABEL, options)).toEqual({ ...url(LABEL), headersSecret: 'cdn' });
    expect(addressedSource('s3://films/a.mp4', options)).toEqual(object('a.mp4'));
  });

  test.each(['/srv/film.mp4', 'film.mp4', 'C:\\film.mp4', 'c:/film.mp4', ' https://h/a.mp4', ''])(
    'is not %j, which has no scheme',
    (text) => {
      expect(addressedSource(text, {})).toBeUndefined();
    },
  );

  test.each([
    ['of another kind', 'ftp://h/a.mp4', 'source'],
    ['that is half of one', 'https://', 'source'],
    ['with a name', 'https://hush@h/a.mp4', 'source'],
    ['with a password', 'https://:hush@h/a.mp4', 'source'],
    ['of a folder in a bucket', 's3://films/in/', 'source.key'],
    ['without a bucket', 's3:///a.mp4', 'source'],
  ])('%s is refused, without showing it', (_what, text, field) => {
    const { code, message, facts } = thrownBy(() => addressedSource(text, {}));
    expect([code, facts.field]).toEqual(['Validation', field]);
    expect(message).not.toContain('hush');
  });
});

test('an address with a # is refused, because a server would send the file of the name before it', () => {
  const { code, facts } = thrownBy(() => checkSource(url('https://h/Take #2.mp4')));
  expect([code, facts.field]).toEqual(['Validation', 'source']);
  expect(facts.hint).toContain('%23');
  expect(() => checkSource(url('https://h/Take%20%232.mp4#'))).not.toThrow();
});

describe('the meaning of a source', () => {
  test('is that of its address without the query, and never shows the query', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
        const { origin, pathname } = new URL(address);
        expect(meaningOfSource(url(address))).toEqual(meaningOfSource(url(origin + pathname)));
      }),
    );
  });

  test('differs between kinds and files', () => {
    const sources: SourceDescriptor[] = [
      path('/films/a.mp4'),
      path('/films/a.mp4', { host: 'h' }),
      path('/films/b.mp4'),
      path('/films/a.mp4', { deleteAfter: true, fileName: 'a.mp4', bytes: 7 }),
      url('https://h/films/a.mp4'),
      url(SEALED),
      object('films/a.mp4'),
      object('a.mp4'),
      { kind: 's3', bucket: 'other', key: 'a.mp4' },
      { kind: 's3', bucket: 'films', key: 'a.mp4', versionId: '2' },
      { kind: 's3', bucket: 'films', key: 'a.mp4', deleteAfter: true },
    ];
    const texts = sources.map((source) => JSON.stringify(meaningOfSource(source)));
    expect(new Set(texts).size).toBe(sources.length);
  });
});
