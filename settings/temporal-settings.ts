import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import type { TemporalAddress } from '../temporal/client/temporal-network';
import { ConfigurationError } from '../api/errors';
import { given } from '../api/json';
import type { Env, EnvReader } from './env-reader';
import { VARIABLES } from './variables';

const { temporalAddress, temporalApiKey, temporalTls } = VARIABLES;
const READ_BY_TEMPORAL = [temporalAddress, temporalApiKey, temporalTls] as const;

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
    const { address = fallback.address, apiKey, tls } = connectionOptions;
    return {
      address,
      namespace: namespace ?? fallback.namespace,
      ...given({ codecKeys, tls: tls ?? undefined, apiKey: typeof apiKey === 'string' ? apiKey : undefined }),
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
