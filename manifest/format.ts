import { ValidationError } from '../api/errors';

/** The format of a manifest: CSV with a header, or one JSON object per line. */
export const MANIFEST_FORMATS = ['csv', 'jsonl'] as const;
export type ManifestFormat = (typeof MANIFEST_FORMATS)[number];

const EXTENSIONS: Readonly<Record<ManifestFormat, RegExp>> = {
  csv: /\.(?:csv|tsv|txt)$/i,
  jsonl: /\.(?:jsonl|ndjson|jsonlines)$/i,
};

/**
 * Returns the format that the extension of a manifest's name shows. Throws a `ValidationError` that asks for the format
 * if it shows none.
 */
export function formatOf(name: string): ManifestFormat {
  const format = MANIFEST_FORMATS.find((each) => EXTENSIONS[each].test(name));
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
