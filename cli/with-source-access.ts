import { createNamedSecrets } from '../api/named-secrets';
import { createUndiciTransport } from '../api/transport/undici-transport';
import type { SourceAccess } from '../api/upload/sources/read-source';
import type { Settings } from '../settings/settings';
import { withFileAccess } from './with-file-access';

/**
 * Runs `use` with the sources that this command may read, as a worker with the same environment. Always closes its
 * connections.
 */
export async function withSourceAccess<T>(
  settings: Settings,
  cwd: string,
  use: (access: SourceAccess) => Promise<T>,
): Promise<T> {
  const transport = createUndiciTransport();
  const { sourceHosts, spoolDir } = settings;
  try {
    return await withFileAccess(settings, cwd, ({ roots, s3 }) =>
      use({
        roots,
        sourceHosts,
        transport,
        s3,
        secrets: createNamedSecrets(settings.secrets),
        unseal: String,
        ...(spoolDir === undefined ? {} : { spoolDir }),
      }),
    );
  } finally {
    await transport.close();
  }
}
