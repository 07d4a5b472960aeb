import { ValidationError } from '../api/errors';

/** The format of a manifest: CSV with a header, or one JSON object per line. */
export const MANIFEST_FORMATS = ['csv', 'jsonl'] as const;
export type ManifestFormat = (typeof MANIFEST_FORMATS)[number];

const BY_EXTENSION: Readonly<Record<string, ManifestFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  jsonlines: 'jsonl',
};

/**
 * Returns the format that the extension of a manifest's name or address shows, in any case. Undefined if it shows none.
 */
export function guessFormat(name: string): ManifestFormat | undefined {
  const path = URL.canParse(name) ? new URL(name).pathname : name;
  const [, extension = ''] = /\.([a-z]+)$/i.exec(path) ?? [];
  return Object.entries(BY_EXTENSION).find(([known]) => known === extension.toLowerCase())?.[1];
}

/** The same, but throws a `ValidationError` that asks for the format if the name does not show it. */
export function formatOf(name: string): ManifestFormat {
  const format = guessFormat(name);
  if (format !== undefined) return format;
  if (/\.(?:xls[xmb]?|ods|numbers)$/i.test(name)) {
    throw new ValidationError(
      'format',
      'The manifest is a workbook.',
      'Save its sheet as CSV (UTF-8), and give that.',
    );
  }
  throw new ValidationError(
    'format',
    'The name of the manifest does not say whether it is CSV or JSON lines.',
    'Name the manifest .csv or .jsonl{nameFormat}.',
  );
}
