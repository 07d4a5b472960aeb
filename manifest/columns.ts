import { editDistance } from '../api/edit-distance';
import type { ManifestMistake } from './row';

/** The columns of a manifest, as in a CSV's header. There is also `tags.<key>` for each tag. */
export const COLUMNS = [
  'source',
  'title',
  'fileType',
  'metadata',
  'creator',
  'resolution',
  'duration',
  'isLibrary',
  'includeInReport',
  'id',
] as const;

export type Column = (typeof COLUMNS)[number];

export const TAG_PREFIX = 'tags.';

export function isColumn(name: string): name is Column {
  return COLUMNS.some((column) => column === name);
}

/** Returns the column of a CSV, however its letters are written: `Source` and `FILETYPE` count, too. */
export function columnNamed(name: string): string {
  return COLUMNS.find((column) => column.toLowerCase() === name.toLowerCase()) ?? name;
}

/** Returns the key of a `tags.<key>` column; undefined for any other. */
export function tagKeyOf(name: string): string | undefined {
  return name.startsWith(TAG_PREFIX) && name.length > TAG_PREFIX.length
    ? name.slice(TAG_PREFIX.length)
    : undefined;
}

/** What people call columns. A wrong name that differs in a few letters needs no entry. */
const OTHER_NAMES: Readonly<Record<string, Column>> = {
  ...{ file: 'source', filename: 'source', path: 'source', url: 'source' },
  ...{ name: 'title', type: 'fileType' },
};

/** Returns the column that a wrong name most likely means. */
export function suggestColumn(name: string): string | undefined {
  const plain = plainName(name);
  if (plain === '') return undefined;
  const [, key] = /^tags?[._ :-]+([^._ :-].*)$/i.exec(name) ?? [];
  if (key !== undefined) return `${TAG_PREFIX}${key}`;
  if (plain === 'tag' || plain === 'tags') return `${TAG_PREFIX}<key>`;
  if (Object.hasOwn(OTHER_NAMES, plain)) return OTHER_NAMES[plain];
  const [best] = COLUMNS.map((column) => ({ column, far: editDistance(plain, plainName(column)) }))
    .filter(({ column, far }) => far <= Math.min(2, Math.floor(column.length / 2)))
    .sort((a, b) => a.far - b.far);
  return best?.column;
}

/** What is wrong with a name that is not a column. `all`: the names of all columns. */
export function unknownName(
  name: string,
  { noun, all }: { readonly noun: 'column' | 'field'; readonly all: string },
): Pick<ManifestMistake, 'column' | 'message' | 'hint'> {
  const column = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  const meant = suggestColumn(name);
  const hint = meant === undefined ? all : `Did you mean ${meant}? Otherwise remove the ${noun}.`;
  return { column, message: `the ${noun} ${column} is not known`, hint };
}

function plainName(name: string): string {
  return name
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
