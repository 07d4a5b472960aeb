import { createNamedSecrets } from '../api/named-secrets';
import { createUndiciTransport } from '../api/transport/undici-transport';
import type { SourceAccess } from '../api/upload/sources/source-access';
import type { Settings } from '../settings/settings';
import { withPlaces } from './with-places';

/** Runs `use` with what this command may read of sources, as a worker with the same environment. Connections are closed whatever happens. */
export async function withSourceAccess<T>(
  settings: Settings,
  cwd: string,
  use: (access: SourceAccess) => Promise<T>,
): Promise<T> {
  const transport = createUndiciTransport();
  const { sourceHosts, spoolDir } = settings;
  try {
    return await withPlaces(settings, cwd, ({ roots, s3 }) =>
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
