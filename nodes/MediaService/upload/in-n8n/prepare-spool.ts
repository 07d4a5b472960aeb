import { whyNotPrivate } from '../../../../files/disk/private-folder';
import { ConfigurationError } from '../../../../api/errors';
import { systemCodeOf } from '../../../../files/system-error';
import type { N8nSpool } from '../../../../settings/n8n-spool';

/**
 * Creates the default spool folder, private to n8n's user. Rejects with a `ConfigurationError` if another user owns
 * that path, or others may write to it. They could read or replace the uploaded files.
 */
export async function prepareSpool({ dir, must }: N8nSpool): Promise<void> {
  if (must === undefined) return;
  const reason = await whyNotPrivate(dir, must).catch((error: unknown) => {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    return `it can't be made (${code})`;
  });
  if (reason === undefined) return;
  throw new ConfigurationError(
    'spoolDir',
    `the spool folder ${dir} can't be used: ${reason}`,
    'Remove it if nobody needs it, or set MEDIA_SERVICE_SPOOL_DIR to a folder that only the user of n8n can write to.',
  );
}
