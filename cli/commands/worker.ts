import type { Command } from 'commander';
import { readSettings, requireAccount, type Settings } from '../../settings/settings';
import type { LogLevel, WorkerConfig } from '../../temporal/worker/worker-config';
import type { CliContext } from '../context';
import { teach } from '../help-text';
import { millisecondsOf, oneOf, wholeNumber } from '../flags/option-values';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

export interface WorkerFlags {
  readonly healthPort?: number;
  readonly concurrency?: number;
  readonly logLevel?: LogLevel;
  readonly grace?: number;
  readonly json?: boolean;
}

/** `media-service worker`: serves the uploads of the account in the environment. */
export function addWorker(program: Command, context: CliContext): void {
  const command = program
    .command('worker')
    .description(
      'Run the worker that uploads; start it on every machine that holds files or shall send parts.',
    )
    .option('--concurrency <n>', 'parts at once, per queue (default: 8)', wholeNumber(1, 1000))
    .option(
      '--health-port <port>',
      'answer /healthz and /readyz on this port, on all network interfaces',
      wholeNumber(1, 65_535),
    )
    .option('--grace <span>', 'how long running parts may go on after a stop (default: 10s)', millisecondsOf)
    .option('--log-level <level>', `${LOG_LEVELS.join(', ')} (default: info)`, oneOf(LOG_LEVELS));
  teach(command, {
    output:
      'One line once all queues are polled. --json: {"ready":true,"queues":[…]}. The log goes to stderr, one JSON object a line.\n' +
      'Files may be read from MEDIA_SERVICE_FILE_ROOTS and written to MEDIA_SERVICE_OUTPUT_ROOTS; unset, the folder the worker is started in.\n' +
      'SIGTERM or Ctrl-C ends it gracefully, a second one at once; nothing is lost either way.',
    exits: ['CONFIGURATION', 'TEMPORAL'],
    examples: [
      {
        says: 'Serve the files below a folder',
        run: 'MEDIA_SERVICE_FILE_ROOTS=/srv/media media-service worker',
      },
      { says: 'In a container', run: 'media-service worker --health-port 8080 --concurrency 16' },
    ],
  }).action(async (flags: WorkerFlags) => {
    const config = workerConfigOf(readSettings(), flags, context.cwd);
    // The worker's native part is large and optional: nobody else should wait for it, or need it.
    const { runWorker } = await import('../../temporal/worker/run-worker.js');
    await runWorker(config, {
      signal: context.interrupts.first,
      onReady: (queues) => {
        const text =
          flags.json === true
            ? JSON.stringify({ ready: true, queues })
            : `Ready: polls ${queues.join(', ')}.`;
        void context.terminal.data(`${text}\n`);
      },
    });
  });
}

/** What a worker is told: the environment's settings, and what the flags say over it. Throws where the account is not whole. */
export function workerConfigOf(settings: Settings, flags: WorkerFlags, cwd: string): WorkerConfig {
  const { concurrency } = flags;
  return {
    temporal: settings.temporal,
    accounts: [{ account: requireAccount(settings), options: settings.options }],
    host: settings.host,
    roots: settings.fileRoots ?? [cwd],
    outputRoots: settings.outputRoots ?? [cwd],
    s3: settings.s3,
    sourceHosts: settings.sourceHosts,
    ...(settings.queuePrefix === undefined ? {} : { queuePrefix: settings.queuePrefix }),
    ...(settings.spoolDir === undefined ? {} : { spoolDir: settings.spoolDir }),
    ...(settings.secrets === undefined ? {} : { secrets: settings.secrets }),
    ...(concurrency === undefined ? {} : { slots: { transfer: concurrency, host: concurrency } }),
    ...(flags.healthPort === undefined ? {} : { healthPort: flags.healthPort }),
    ...(flags.grace === undefined ? {} : { shutdownGraceMs: flags.grace }),
    ...(flags.logLevel === undefined ? {} : { logLevel: flags.logLevel }),
  };
}
