import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { given } from '../../api/json';
import type { Settings } from '../../settings/settings';
import { DEFAULT_BATCH_OPTIONS } from '../../temporal/batch/types';
import type { BatchOptions } from '../../temporal/batch/types';
import { withManifestFlags } from './manifest-flags';
import type { ManifestFlags } from './manifest-flags';
import { bytesFrom, numberFrom } from './option-values';
import { REQUIRE_WORKER, sendingOptionsOf, withSendingFlags } from './upload-flags';
import type { SendingFlags } from './upload-flags';

/** The flags of `batch start`, as commander returns them. */
export interface BatchFlags extends SendingFlags, ManifestFlags {
  readonly id?: string;
  readonly to?: string;
  readonly parallelUploads?: number;
  readonly maxFailures?: number;
  /** A fraction. */
  readonly maxFailureRate?: number;
  readonly maxSameFailures?: number;
  /** Bytes per second. */
  readonly bandwidth?: number;
  readonly sharedPath?: boolean;
  readonly uploadChanged?: boolean;
  /** False with `--no-check`. */
  readonly check: boolean;
  readonly requireWorker?: boolean;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export function withBatchFlags(command: Command): Command {
  const { parallelUploads, maxSameFailures } = DEFAULT_BATCH_OPTIONS;
  command
    .option(
      '--id <id>',
      "name of the batch within the account (default: from the manifest's name and location)",
    )
    .option(
      '--to <folder>',
      'where the results are written: a folder or s3://bucket/prefix (default: media-service-batches/<id>)',
    );
  withManifestFlags(command)
    .option('--watch', 'watch the batch until it ends')
    .option('--no-check', 'start without checking the manifest here; workers still check it')
    .option(
      '--parallel-uploads <n>',
      `parallel uploads over all workers; a file with its own workflow counts as four (default: ${parallelUploads})`,
      numberFrom(1, 2000),
    )
    .option('--max-failures <n>', 'pause when this many rows have failed', numberFrom(1))
    .option(
      '--max-failure-rate <share>',
      'pause when this share of rows has failed, for example 5% or 0.05',
      shareOf,
    )
    .option(
      '--max-same-failures <n>',
      `pause when this many rows fail for the same reason on one worker and none completes in between; 0: never (default: ${maxSameFailures})`,
      numberFrom(0, 500),
    )
    .option(
      '--bandwidth <size>',
      'bytes per second of the batch on each worker, for example 50MB',
      bytesFrom('64KiB'),
    )
    .option(
      '--upload-changed',
      'upload completed rows again whose files have changed since; otherwise they fail',
    )
    .option('--shared-path', 'every worker mounts the manifest, files and folder at the same paths')
    .option(...REQUIRE_WORKER);
  return withSendingFlags(command);
}

/**
 * Returns the options of a batch's rows from flags and settings. `sourceHost` and `sourceFolder` depend on the
 * manifest.
 */
export function batchOptionsOf(
  flags: BatchFlags,
  { options: { maxParts }, tuning = {} }: Pick<Settings, 'options' | 'tuning'>,
): BatchOptions {
  const { heartbeatMs, ...pages } = tuning;
  const upload = { ...sendingOptionsOf(flags), ...given({ maxParts, heartbeatMs }) };
  const { parallelUploads, maxFailures, maxFailureRate, maxSameFailures, sourceSecret } = flags;
  const { bandwidth: bytesPerSecond, requesterPays, uploadChanged } = flags;
  const options: BatchOptions = {
    ...given({ parallelUploads, maxFailures, maxFailureRate, maxSameFailures }),
    ...given({ bytesPerSecond, sourceSecret, uploadChanged }),
    ...(requesterPays === true ? { requesterPays } : {}),
    ...pages,
  };
  return Object.keys(upload).length === 0 ? options : { ...options, upload };
}

/** Reads `5%` or `0.05`: a fraction above 0 and up to 1. */
export function shareOf(text: string): number {
  const [, number = '', percent = ''] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(text.trim()) ?? [];
  const share = Number(number) / (percent === '' ? 1 : 100);
  if (number === '' || !(share > 0 && share <= 1)) {
    throw new InvalidArgumentError('It must be a percentage or a fraction, for example 5% or 0.05.');
  }
  return share;
}
