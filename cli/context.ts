import { given } from '../api/json';
import type { Clock } from '../api/clock';
import { retryingService } from '../api/service/service';
import type { RetryingService } from '../api/service/service';
import { createService } from '../api/service/create-service';
import { createUndiciTransport } from '../api/transport/undici-transport';
import type { Env } from '../settings/env-reader';
import { readSettings, requireAccount } from '../settings/settings';
import type { Settings } from '../settings/settings';
import { connectTemporal } from '../temporal/client/connect';
import type { TemporalConnection } from '../temporal/client/connect';
import type { Interrupts } from './interrupts';
import type { Terminal } from './output/terminal';
import { accountId as accountIdOf, checkAccount } from '../api/account';
import type { Account } from '../api/account';
import { ConfigurationError, wrongSetting } from '../api/errors';
import { VARIABLES } from '../settings/variables';
import { createS3 } from '../files/s3/s3-client';
import type { FileAccess } from '../files/output-path';
import { createNamedSecrets } from '../files/named-secrets';
import type { SourceAccess } from '../files/sources/source-access';
import { Help, Option } from 'commander';
import type { Command } from 'commander';

/** What every command gets from `main`. */
export interface CliContext {
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
  readonly cwd: string;
  readonly clock: Clock;
  /** The variables that settings are read from, with those of the settings file. */
  readonly env: Env;
  /** Names of variables that the settings file added to the environment. */
  readonly fromSettingsFile?: ReadonlySet<string>;
}

/** Runs `use` with a service of the environment's account, and always closes its connections. */
export async function withService<T>(
  { env, clock }: Pick<CliContext, 'env' | 'clock'>,
  use: (service: RetryingService) => Promise<T>,
): Promise<T> {
  const settings = readSettings(env);
  const account = checkedAccount(settings);
  const transport = createUndiciTransport();
  try {
    return await use(
      retryingService(createService({ account, transport, options: settings.options, clock })),
    );
  } finally {
    await transport.close();
  }
}

/** Runs `use` with a connection to Temporal, and always closes it. */
export async function withTemporal<T>(
  settings: Settings,
  use: (connection: TemporalConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectTemporal(settings.temporal);
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

/** Runs `use` with a connection to Temporal, and the id of the environment's account. */
export async function withAccount<T>(
  { env }: Pick<CliContext, 'env'>,
  use: (at: {
    readonly connection: TemporalConnection;
    readonly settings: Settings;
    readonly accountId: string;
  }) => Promise<T>,
): Promise<T> {
  const settings = readSettings(env);
  const accountId = accountIdOf(requireAccount(settings));
  return withTemporal(settings, (connection) => use({ connection, settings, accountId }));
}

/**
 * Returns the whole, checked account of the environment. Throws a `ConfigurationError` that names variables instead of
 * fields.
 */
export function checkedAccount(settings: Settings): Account {
  try {
    return checkAccount(requireAccount(settings), settings.options);
  } catch (error) {
    throw error instanceof ConfigurationError ? inVariables(error) : error;
  }
}

function inVariables(error: ConfigurationError): ConfigurationError {
  const { field = '', problem } = error.facts;
  const { name } = Object.entries(VARIABLES).find(([key]) => key === field)?.[1] ?? {};
  if (name === undefined || problem === undefined) return error;
  return wrongSetting(name, problem, error.facts.hint);
}

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
        ...given({ spoolDir }),
      }),
    );
  } finally {
    await transport.close();
  }
}

/** Gives a command the common options (`--json`, `--debug`), and below its options one paragraph and two examples. */
export function addHelp(command: Command, about: string, examples: readonly [string, string]): Command {
  return command
    .option('--json', 'print JSON on stdout; errors as one line of JSON on stderr')
    .addOption(new Option('--debug', 'show the stack of an error').hideHelp())
    .addHelpText('after', () => {
      const columns = command.configureOutput().getOutHelpWidth?.() ?? Infinity;
      const wrap = (text: string): string => new Help().boxWrap(text, columns);
      // Commands are not wrapped, so that they can be copied.
      return ['', wrap(about), '', 'Examples:', ...examples.map((run) => `  $ ${run}`)].join('\n');
    });
}
