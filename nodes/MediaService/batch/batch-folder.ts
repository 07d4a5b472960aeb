import { ValidationError } from '../../../api/errors';
import type { FileLocation } from '../../../files/file-location';
import { parseLocation, locationWithin } from '../../../files/location-text';

/** Absolute on the workers, which may have another operating system than n8n. */
const ABSOLUTE = /^(?:file:|[\\/]|[a-z]:[\\/])/i;

/** The batch's own folder inside the folder of the form. */
export function batchFolder(folder: string, batchId: string, host: string | undefined): FileLocation {
  const location = parseLocation(folder, { cwd: '/', host, field: 'Folder' });
  if (location.kind === 's3' || ABSOLUTE.test(folder)) return locationWithin(location, batchId);
  throw new ValidationError(
    'folder',
    `"Folder" is a relative path: ${folder}`,
    'Write it in full, as the workers see it, or as s3://bucket/prefix.',
  );
}
