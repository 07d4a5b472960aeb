import { ValidationError } from '../../../api/errors';
import type { Place } from '../../../places/place';
import { parsePlace, placeWithin } from '../../../places/place-text';

/** On the workers, which may run on another system than n8n. */
const ABSOLUTE = /^(?:file:|[\\/]|[a-z]:[\\/])/i;

/** The batch's own folder below the one that the form names. */
export function batchFolder(folder: string, batchId: string, host: string | undefined): Place {
  const place = parsePlace(folder, { cwd: '/', host, field: 'Folder' });
  if (place.kind === 's3' || ABSOLUTE.test(folder)) return placeWithin(place, batchId);
  throw new ValidationError(
    'folder',
    `"Folder" is a relative path: ${folder}`,
    'Write it in full, as the workers see it, or as s3://bucket/prefix.',
  );
}
