import type { Readable } from 'node:stream';
import type { Clock } from '../api/clock';
import type { Service } from '../api/service/service';
import { createService } from '../api/service/create-service';
import { createUndiciTransport } from '../api/transport/undici-transport';
import type { Env } from '../settings/env-reader';
import { readSettings } from '../settings/settings';
import type { Settings } from '../settings/settings';
import { connectTemporal } from '../temporal/client/connect';
import type { TemporalConnection } from '../temporal/client/connect';
import { checkedAccount } from './checked-account';
import type { Interrupts } from './interrupts';
import type { Terminal } from './output/terminal';

/** What every command gets from `main`. */
export interface CliContext {
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
  readonly cwd: string;
  readonly clock: Clock;
  /** The variables that settings are read from, with those of the settings file. */
  readonly env: Env;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Names of variables that the settings file added to the environment. */
  readonly fromSettingsFile?: ReadonlySet<string>;
}

/** Runs `use` with a service of the environment's account, and always closes its connections. */
export async function withService<T>(
  { env, clock }: Pick<CliContext, 'env' | 'clock'>,
  use: (service: Service, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = readSettings(env);
  const account = checkedAccount(settings);
  const transport = createUndiciTransport();
  try {
    return await use(createService({ account, transport, options: settings.options, clock }), settings);
  } finally {
    await transport.close();
  }
}

/** Runs `use` with a connection to Temporal, and always closes it. */
export async function withTemporal<T>(
  settings: Settings,
  use: (connection: TemporalConnection) => Promise<T>,
): Promise<T> {
  return traced(settings, async (traceparent) => {
    const connection = await connectTemporal(
      settings.temporal,
      traceparent === undefined ? {} : { traceparent },
    );
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  });
}

/** Starts a trace with this command if the settings ask for it. */
async function traced<T>(
  { tracesEndpoint }: Settings,
  use: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  if (tracesEndpoint === undefined) return use(undefined);
  const { createTracing, TRACES_MISSING } = await import('../temporal/telemetry/tracing.js');
  // It rejects if the libraries are missing, which the warning says.
  const tracing = await createTracing(tracesEndpoint, 'media-service command').catch(() => undefined);
  if (tracing === undefined) {
    process.emitWarning(TRACES_MISSING);
    return use(undefined);
  }
  try {
    return await tracing.inRoot('media-service', use);
  } finally {
    await tracing.close();
  }
}
