import { createS3 } from '../files/s3/s3-client';
import type { FileAccess } from '../files/files';
import type { Settings } from '../settings/settings';

/**
 * Runs `use` with the files that this command may read and write: the same as for a worker started in this folder with
 * this environment. Always closes its connections.
 */
export async function withFileAccess<T>(
  { fileRoots, outputRoots, s3: s3Settings }: Settings,
  cwd: string,
  use: (access: FileAccess) => Promise<T>,
): Promise<T> {
  const s3 = createS3(s3Settings);
  try {
    return await use({ roots: fileRoots ?? [cwd], outputRoots: outputRoots ?? [cwd], s3 });
  } finally {
    s3.close();
  }
}
