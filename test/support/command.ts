import type { Account } from '../../api/account';
import { Interrupts } from '../../cli/interrupts';
import type { StopSignal } from '../../cli/interrupts';
import { runWithSettingsFile } from '../../cli/program';
import { packageVersion } from '../../temporal/worker/package-version';
import { baseEnv, lookAll, watched } from './built-command';
import type { CommandContext, CommandEnd, Running } from './built-command';
import { cliContext } from './cli-context';
import { HASTE, hastyClock } from './hasty-clock';
import type { UploadFixture } from './upload-fixture';

export type { CommandEnd };

interface CallContext extends CommandContext {
  /** Width of the terminal that both streams are. Default: they are none. */
  readonly columns?: number;
  /** True: time between looks, tries and signals passes `HASTE` times as fast. */
  readonly hasty?: boolean;
}

export interface RunningCommand extends Running {
  signal(name: StopSignal): void;
}

/** The values of JSON lines. */
export function linesOf<T = Readonly<Record<string, unknown>>>({ stdout }: Pick<CommandEnd, 'stdout'>): T[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/** The variables that point the command at an account. */
export function accountEnv(account: Account): Record<string, string> {
  return {
    MEDIA_SERVICE_BASE_URL: account.baseUrl,
    MEDIA_SERVICE_UPLOAD_URL: account.uploadUrl,
    MEDIA_SERVICE_API_KEY: account.apiKey,
    MEDIA_SERVICE_SECRET_KEY: account.secretKey,
    MEDIA_SERVICE_EXTERNAL_ID: account.externalId,
  };
}

/** Those of `accountEnv`, and those for the Temporal server, the queues and the machine of a test's workers. */
export function commandEnv({
  account,
  config,
  queuePrefix,
}: Pick<UploadFixture, 'account' | 'config' | 'queuePrefix'>): Record<string, string> {
  return {
    ...accountEnv(account),
    TEMPORAL_ADDRESS: config.temporal.address,
    TEMPORAL_NAMESPACE: config.temporal.namespace,
    MEDIA_SERVICE_QUEUE_PREFIX: queuePrefix,
    MEDIA_SERVICE_HOST: config.host,
  };
}

/**
 * Runs `media-service` to its end in this process, as `cli/main.ts` does: with an environment, folder and streams of its
 * own. Only libraries read the environment of this process; `useCredentials` gives S3's its credentials.
 */
export function runCommand(words: readonly string[], context: CallContext): Promise<CommandEnd> {
  return startCommand(words, context).ended;
}

/** Starts `media-service` in this process. The caller waits for its end. */
export function startCommand(
  words: readonly string[],
  { cwd, env = {}, columns, hasty = false }: CallContext,
): RunningCommand {
  const watchers = new Set<() => void>();
  const interrupts = new Interrupts(
    () => {
      throw new Error('No command has taken the second stop, so it would end the process.');
    },
    () => performance.now() * (hasty ? HASTE : 1),
  );
  const { context, written } = cliContext({
    cwd,
    interrupts,
    ...(hasty ? { clock: hastyClock } : {}),
    ...(columns === undefined ? {} : { columns, terminals: ['stdout', 'stderr'] as const }),
    onWrite: () => lookAll(watchers),
  });
  const own = { ...baseEnv(cwd), ...env };
  const ended = runWithSettingsFile(words, { ...context, env: own }, packageVersion()).then((exit) => ({
    exit,
    ...written,
  }));
  return { ...watched(written, ended, watchers), signal: (name) => interrupts.stop(name) };
}
