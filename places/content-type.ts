import path from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** What a browser or another program is told of an object of ours; undefined where its name does not say. */
export function contentTypeOf(name: string): string | undefined {
  return TYPES[path.posix.extname(name).toLowerCase()];
}
