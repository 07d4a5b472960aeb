import { createS3 } from '../api/s3/s3-client';
import type { PlaceAccess } from '../places/place-access';
import type { Settings } from '../settings/settings';

/**
 * Runs `use` with what this command may read and write: as a worker that is started in the same folder with the same environment. Connections are closed
 * whatever happens.
 */
export async function withPlaces<T>(
  { fileRoots, outputRoots, s3: s3Settings }: Settings,
  cwd: string,
  use: (access: PlaceAccess) => Promise<T>,
): Promise<T> {
  const s3 = createS3(s3Settings);
  try {
    return await use({ roots: fileRoots ?? [cwd], outputRoots: outputRoots ?? [cwd], s3 });
  } finally {
    s3.close();
  }
}
