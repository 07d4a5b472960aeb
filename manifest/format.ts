import { ValidationError } from '../api/errors';

/** How a manifest is written: CSV with a header, or one JSON object a line. */
export type ManifestFormat = 'csv' | 'jsonl';

export const MANIFEST_FORMATS: readonly ManifestFormat[] = ['csv', 'jsonl'];

const BY_EXTENSION: Readonly<Record<string, ManifestFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  jsonlines: 'jsonl',
};

/** The format that a manifest's name or address tells by its extension, whatever the case; undefined where it tells none. */
export function guessFormat(name: string): ManifestFormat | undefined {
  const path = URL.canParse(name) ? new URL(name).pathname : name;
  const [, extension = ''] = /\.([a-z]+)$/i.exec(path) ?? [];
  return Object.entries(BY_EXTENSION).find(([known]) => known === extension.toLowerCase())?.[1];
}

/** The same; throws a `ValidationError` that asks for the format where the name tells none. */
export function formatOf(name: string): ManifestFormat {
  const format = guessFormat(name);
  if (format !== undefined) return format;
  throw new ValidationError(
    'format',
    'The name of the manifest does not tell whether it is CSV or JSON lines.',
    'Say it with --format csv or --format jsonl, or give it the extension .csv or .jsonl.',
  );
}
