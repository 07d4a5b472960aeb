import { unreported } from '../../chaos/activity-table/unreported';

const PART = { partNumber: 1, eTag: 'e', bytes: 1, puts: 1 };
const session = (title: string, parts = [] as (typeof PART)[]) => {
  return { uploadId: `upload-${title}`, mediaId: `media-${title}`, title, parts };
};
const A = session('Film a');
const B = session('Film b');
const FILES = new Map([
  ['Film a', '/films/a.mp4'],
  ['Film b', '/films/b.mp4'],
]);
const HINT = 'An upload session may exist at the service, because the response to start is not known.';
const error = { code: 'StartAmbiguous', message: 'no answer', hint: HINT };
const failure = Object.assign(new Error('no answer'), { facts: { hint: HINT } });

describe('sessions that no report names', () => {
  it.each<[string, unknown]>([
    ['its upload id', [{ orphans: [{ uploadId: 'upload-Film a' }] }]],
    ['its media id', 'media-Film a is left'],
    ['its title, and that a session may exist', [[{ title: 'Film a', error }]]],
    ['its source, and that a session may exist', { lines: [{ source: '/films/a.mp4', error }] }],
  ])('do not include one of which is reported: %s', (_, reported) => {
    expect(unreported([A, B], FILES, reported)).toEqual([B]);
  });

  it.each<[string, unknown]>([
    ['of nobody', [error, HINT, failure]],
    ['of another file', [{ title: 'Film b', error }]],
    ['of a file whose title is longer', [{ title: 'Film a2', error }]],
    ['beside the line of the file', [{ title: 'Film a' }, error]],
  ])('include one if it is said %s that a session may exist', (_, reported) => {
    expect(unreported([A], FILES, reported)).toEqual([A]);
  });

  it('include one that has a part, as nobody can have missed it', () => {
    const begun = session('Film a', [PART]);
    expect(unreported([begun], FILES, [{ title: 'Film a', error }])).toEqual([begun]);
  });

  it('do not include that of the only file, which its error need not name', () => {
    const only = new Map([['Film a', '/films/a.mp4']]);
    expect(unreported([A], only, failure)).toEqual([]);
    expect(unreported([A, B], only, failure)).toEqual([B]);
    expect(unreported([A], only, new Error('no answer'))).toEqual([A]);
  });
});
