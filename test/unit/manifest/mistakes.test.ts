import type { MediaServiceError } from '../../../api/errors';
import { Mistakes } from '../../../manifest/mistakes';
import type { ManifestMistake } from '../../../manifest/row';
import { thrownBy } from '../api/upload/failure-of';

function refusalOf(mistakes: readonly ManifestMistake[]): MediaServiceError {
  const all = new Mistakes();
  for (const mistake of mistakes) all.add(mistake);
  return thrownBy(() => all.refuse());
}

const ALL = '`media-service batches check` names all mistakes.';
const UNKNOWN = 'the column tilte is not known';
const TILTE = { line: 1, column: 'tilte', message: UNKNOWN, hint: 'Did you mean title?' };

test('a manifest without mistakes is not refused', () => {
  expect(() => new Mistakes().refuse()).not.toThrow();
});

test.each<[what: string, mistakes: ManifestMistake[], hint: string]>([
  ['a mistake that says what to do', [{ line: 1, message: 'wrong' }, TILTE], 'Did you mean title?'],
  ['none that does', [{ line: 1, message: 'wrong' }], 'Fix the manifest, and start it again.'],
  ['more of them than are named', Array.from({ length: 11 }, () => TILTE), `Did you mean title? ${ALL}`],
])('the refusal for %s names the next step', (_what, mistakes, hint) => {
  expect(refusalOf(mistakes).facts.hint).toBe(`Nothing was uploaded. ${hint}`);
});

test('the first ten mistakes are listed by line and column, and the others counted', () => {
  const { message } = refusalOf(Array.from({ length: 12 }, (_, index) => ({ ...TILTE, line: index + 1 })));
  expect(message).toMatch(/^The manifest has 12 mistakes: line 1, tilte: the column tilte is not known; /);
  expect(message).toMatch(/; line 10, tilte: the column tilte is not known; and 2 more\.$/);
});

test.each(['The service takes no such type.', 'The service takes no such type'])(
  'the refusal ends the mistake %j with one full stop',
  (message) => {
    const refused = 'The manifest has 1 mistake: line 2: The service takes no such type.';
    expect(refusalOf([{ line: 2, message }]).message).toBe(refused);
  },
);
