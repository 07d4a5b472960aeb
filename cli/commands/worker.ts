import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { ServedAccount } from '../../api/account';
import { given } from '../../api/json';
import { makeFolder } from '../../files/disk/write-whole';
import { inContainer } from '../../settings/surroundings';
import { rateFrom } from '../../settings/value-parsers';
import { readSettings } from '../../settings/settings';
import type { Settings } from '../../settings/settings';
import { ALL_INTERFACES, LOOPBACK } from '../../temporal/worker/health-server';
import type { ListenAddress } from '../../temporal/worker/health-server';
import { limitHeap } from '../../temporal/worker/limit-heap';
import type { LogLevel, WorkerConfig } from '../../temporal/worker/worker-config';
import type { CliContext } from '../context';
import { addHelp } from '../context';
import { gatewayConfigOf, refuseWithoutHttp, servedAccounts, withHttpFlags } from './gateway';
import type { FlagAddress, HttpFlags } from './gateway';
import { flagValue, listenAddress, millisecondsOf, numberFrom, wordOf } from '../flags/options';

/** At a lower rate, parts would be too slow and given up, or exceed their time. */
const LEAST_BYTES_PER_SECOND = 1_000_000;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

interface WorkerFlags extends HttpFlags {
  readonly health?: FlagAddress;
  readonly metrics?: FlagAddress;
  readonly concurrency?: number;
  /** Bytes per second. */
  readonly bandwidth?: number;
  readonly logLevel?: LogLevel;
  readonly grace?: number;
}

/** `media-service worker`: serves the uploads of the environment's account, or of the accounts in a file. */
export function addWorker(program: Command, context: CliContext): void {
  const command = program
    .command('worker')
    .description('Run a worker. Start one on every machine that has files or should send parts.');
  withHttpFlags(addWorkerFlags(command));
  addHelp(
    command,
    'Prints one line when it is ready; the log is on stderr, one JSON object per line. It reads files below MEDIA_SERVICE_FILE_ROOTS, and writes below MEDIA_SERVICE_OUTPUT_ROOTS (default: its current folder). After SIGTERM or Ctrl-C, running parts get --grace to finish, and nothing is lost; a second Ctrl-C stops it at once.',
    [
      'MEDIA_SERVICE_FILE_ROOTS=/srv/media media-service worker',
      'media-service worker --health 8080 --metrics 9464 --http 8090 --concurrency 16 --bandwidth 50MB/s',
    ],
  ).action((flags: WorkerFlags) => serve(flags, context));
}

function addWorkerFlags(command: Command): Command {
  return command
    .option(
      '--concurrency <n>',
      'parallel parts, per account and queue (default: by memory, at most 8)',
      numberFrom(1, 1000),
    )
    .option(
      '--bandwidth <rate>',
      'max bytes per second to storage, as 50MB/s (default: no limit)',
      flagValue(rateFrom(LEAST_BYTES_PER_SECOND)),
    )
    .option(
      '--health <address>',
      'answer /healthz and /readyz at this port, as 8080, 10.0.0.7:8080 or "*:8080" (default host: 127.0.0.1, in a container "*")',
      listenAddress,
    )
    .option('--metrics <address>', 'answer /metrics at this port, in the same form', listenAddress)
    .option('--grace <span>', 'time for running parts to finish after a stop (default: 60s)', millisecondsOf)
    .option('--log-level <level>', `${LOG_LEVELS.join(', ')} (default: info)`, wordOf(LOG_LEVELS));
}

async function serve(flags: WorkerFlags, context: CliContext): Promise<void> {
  context.terminal.outlivesReaders = true;
  limitHeap();
  const settings = readSettings(context.env);
  const accounts = await servedAccounts(settings);
  refuseWithoutHttp(flags);
  const config = await withSpoolDir(
    workerConfigOf(settings, flags, {
      ...{ cwd: context.cwd, accounts, inContainer: inContainer(context.env) },
    }),
    flags,
  );
  // The worker's native part is large and optional: no other command should wait for it or need it.
  const { runWorker } = await import('../../temporal/worker/run-worker.js');
  const ready = (what: { readonly queues: readonly string[]; readonly http?: string }): void => {
    const { queues, http } = what;
    const also = http === undefined ? '' : ` It answers ${http}`;
    const text = `Ready: polls ${queues.join(', ')}.${also}\n`;
    // A reader that has gone misses it.
    context.terminal.answer({ ready: true, ...what }, text).catch(() => undefined);
  };
  const { first: signal } = context.interrupts;
  if (flags.http === undefined) return runWorker(config, { signal, onReady: (queues) => ready({ queues }) });
  const { host, roots, outputRoots = [], spoolDir } = config;
  const worker = { host, roots, outputRoots, ...given({ spoolDir }) };
  const gateway = gatewayConfigOf(
    settings,
    { ...flags, http: flags.http },
    { cwd: context.cwd, accounts, worker },
  );
  const { runGateway } = await import('../../gateway/run-gateway.js');
  const served = { ...gateway, ...given({ logLevel: flags.logLevel }) };
  // The worker starts once the door answers. If one of them ends, so does the other.
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const failures: unknown[] = [];
  const toEnd = (run: Promise<void>): Promise<void> =>
    run.catch((error: unknown) => void failures.push(error)).finally(() => ended.abort());
  let working = Promise.resolve();
  const onReady = (http: string): void => {
    working = toEnd(runWorker(config, { signal: stop, onReady: (queues) => ready({ queues, http }) }));
  };
  await toEnd(runGateway(served, { signal: stop, onReady }));
  await working;
  for (const failure of failures) throw failure;
}

const SPOOL_FOLDER = 'media-service-files';

/** Clients of the HTTP door send files, which need a folder. */
async function withSpoolDir(config: WorkerConfig, { http }: WorkerFlags): Promise<WorkerConfig> {
  const [output] = config.outputRoots ?? [];
  if (http === undefined || config.spoolDir !== undefined || output === undefined) return config;
  const spoolDir = join(output, SPOOL_FOLDER);
  return (
    makeFolder(spoolDir)
      .then(() => access(spoolDir, constants.W_OK))
      .then(() => ({ ...config, spoolDir }))
      // The door says so when somebody sends a file.
      .catch(() => config)
  );
}

interface Given {
  readonly cwd: string;
  readonly accounts: readonly ServedAccount[];
  readonly inContainer: boolean;
}

/** Combines the environment's settings with the flags, which override them. */
export function workerConfigOf(
  settings: Settings,
  flags: WorkerFlags,
  { cwd, accounts, inContainer: isContained }: Given,
): WorkerConfig {
  const { concurrency, grace, logLevel, bandwidth } = flags;
  const { queuePrefix, spoolDir, secrets, buildId } = settings;
  return {
    temporal: settings.temporal,
    accounts,
    host: settings.host,
    roots: settings.fileRoots ?? [cwd],
    outputRoots: settings.outputRoots ?? [cwd],
    s3: settings.s3,
    sourceHosts: settings.sourceHosts,
    queuePrefix,
    ...given({
      ...{ spoolDir, secrets, bandwidth, shutdownGraceMs: grace, logLevel },
      slots: concurrency === undefined ? undefined : { parts: concurrency },
      // Temporal joins both names with a dot, so a deployment has none.
      version:
        buildId === undefined ? undefined : { buildId, deploymentName: queuePrefix.replaceAll('.', '-') },
      health: addressOf(flags.health, isContained),
      metrics: addressOf(flags.metrics, isContained),
    }),
  };
}

/** The ports have no login. In a container, the container's network decides who can reach them. */
function addressOf(flag: FlagAddress | undefined, isContained: boolean): ListenAddress | undefined {
  return flag && { host: isContained ? ALL_INTERFACES : LOOPBACK, ...flag };
}
