import path from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Returns the content type that browsers and other programs get for our objects; undefined if the name does not show
 * it.
 */
export function contentTypeOf(name: string): string | undefined {
  return TYPES[path.posix.extname(name).toLowerCase()];
}
