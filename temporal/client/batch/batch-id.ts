import { createHash } from 'node:crypto';
import { ValidationError } from '../../../api/errors';

const MAX_LENGTH = 128;
const MAX_NAME_LENGTH = 40;

/**
 * An id that is always the same for the same manifest: its file name, for people, and 8 hexadecimal digits of a digest
 * of its location. `identity`: host and absolute path, or URL without its query.
 */
export function defaultBatchId(fileName: string, identity: string): string {
  const stem = fileName.replace(/\.(csv|jsonl|ndjson|json|txt)$/i, '');
  const name = stem
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-._]+/, '')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/(?<!-)-+$/, '');
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 8);
  return name === '' ? digest : `${name}-${digest}`;
}

/**
 * Returns the id unchanged. Throws a `ValidationError` on `field` unless the id has 1 to 128 letters, digits, `.`, `_`
 * or `-` and begins with a letter or digit.
 */
export function checkBatchId(batchId: string, field = 'batchId'): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(batchId) && batchId.length <= MAX_LENGTH) return batchId;
  throw new ValidationError(
    field,
    `The batch id ${JSON.stringify(batchId.slice(0, MAX_LENGTH))} is not made of 1 to ${String(MAX_LENGTH)} letters, digits, ".", "_" and "-".`,
    'It names the batch within its account, and is part of workflow ids and file names: choose one such as harbour-2026-11.',
  );
}
