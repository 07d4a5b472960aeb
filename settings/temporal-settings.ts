import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import type { TemporalAddress, TlsText } from '../temporal/client/temporal-network';
import { ConfigurationError } from '../api/errors';
import type { Env, EnvReader } from './env-reader';
import { VARIABLES } from './variables';

const READ_BY_TEMPORAL = [
  VARIABLES.temporalAddress,
  VARIABLES.temporalApiKey,
  VARIABLES.temporalTls,
] as const;

/**
 * Reads TEMPORAL_* with Temporal's own library. The environment overrides the profile in Temporal's configuration file.
 * Notes problems in `reader`.
 */
export function temporalSettingsOf(env: Env, reader: EnvReader): TemporalAddress {
  const codecKeys = reader.read(VARIABLES.codecKey);
  const fallback = { address: 'localhost:7233', namespace: 'default' };
  try {
    const { connectionOptions, namespace } = toClientOptions(
      loadClientConfigProfile({ overrideEnvVars: withReadValues(env, reader) }),
    );
    const { apiKey, tls } = connectionOptions;
    const address = connectionOptions.address ?? fallback.address;
    const asked = tls === undefined || tls === null || typeof tls === 'boolean' ? tls : tlsSettings(tls);
    return {
      address,
      namespace: namespace ?? fallback.namespace,
      ...(codecKeys === undefined ? {} : { codecKeys }),
      ...(typeof apiKey === 'string' ? { apiKey } : {}),
      ...(asked === undefined || asked === null ? {} : { tls: asked }),
    };
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const reason = error instanceof Error ? error.message : "it can't be read";
    reader.problem('TEMPORAL_*', `can't be read: ${reason}`);
    return fallback;
  }
}

/** Temporal's library knows neither `…_FILE` nor an empty value, and reads any word as "no". */
function withReadValues(env: Env, reader: EnvReader): Record<string, string> {
  const read = READ_BY_TEMPORAL.map((variable): [string, string | boolean | undefined] => [
    variable.name,
    reader.read<string | boolean>(variable),
  ]);
  return Object.fromEntries(
    [...Object.entries(env), ...read].flatMap(([name, value]) =>
      value === undefined || String(value).trim() === '' ? [] : [[name, String(value)]],
    ),
  );
}

interface SdkTls {
  readonly serverNameOverride?: string | null;
  readonly serverRootCACertificate?: Uint8Array | null;
  readonly clientCertPair?: { readonly crt: Uint8Array; readonly key: Uint8Array } | null;
}

function tlsSettings(tls: SdkTls): TlsText {
  const pem = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
  return {
    ...(tls.serverRootCACertificate ? { caPem: pem(tls.serverRootCACertificate) } : {}),
    ...(tls.clientCertPair
      ? { certPem: pem(tls.clientCertPair.crt), keyPem: pem(tls.clientCertPair.key) }
      : {}),
    ...(tls.serverNameOverride ? { serverName: tls.serverNameOverride } : {}),
  };
}
