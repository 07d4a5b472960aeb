import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { given } from '../../api/json';
import type { Settings } from '../../settings/settings';
import type { BatchOptions, ManifestFile } from '../../temporal/batch/types';
import { withManifestFlags } from './manifest-argument';
import type { ManifestFlags, ManifestArgument } from './manifest-argument';
import { BATCH_OPTIONS } from '../../api/options/batch-options';
import { START_OPTIONS, UPLOAD_OPTIONS } from '../../api/options/upload-options';
import { numberFrom, optionsIn, withOptions, withWait } from '../flags/options';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import { parseLocation } from '../../files/file-location';
import type { FileLocation } from '../../files/file-location';
import { checkBatchId, defaultBatchId } from '../../temporal/batch/client/batch-input';
import { MediaServiceError, ValidationError } from '../../api/errors';
import { earlierBatch } from '../../temporal/batch/client/start-batch';
import { errorOfRpc } from '../../temporal/client/rpc-failure';
import { withTemporal } from '../context';
import type { CliContext } from '../context';
import { shown } from '../errors/what-to-do';
import { counted, plainJson } from '../output/plain-text';
import { batchWorkflowOf } from './batch-folder';
import { checkHere, findingText } from './check-here';
import type { CheckedHere } from './check-here';

/** The flags of `batches start`, as commander returns them. */
export interface BatchFlags extends ManifestFlags {
  readonly id?: string;
  readonly results?: string;
  readonly maxFailures?: FailureLimit;
  readonly sharedPath?: boolean;
  readonly wait?: boolean;
}

export function withBatchFlags(command: Command): Command {
  command
    .option(
      '--id <id>',
      "name of the batch within the account (default: from the manifest's name and location)",
    )
    .option(
      '--results <folder>',
      'where the results are written: a folder or s3://bucket/prefix (default: media-service-batches/<id>)',
    );
  withWait(withManifestFlags(command)).option(
    '--max-failures <limit>',
    'pause when this many rows or this share has failed: 100 or 5%',
    failureLimit,
  );
  withOptions(command, START_OPTIONS, ['sharedPath']);
  return withOptions(withOptions(command, BATCH_OPTIONS), UPLOAD_OPTIONS);
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
  const upload = { ...optionsIn(flags, UPLOAD_OPTIONS), ...given({ maxParts, heartbeatMs }) };
  const options = { ...optionsIn(flags, BATCH_OPTIONS), ...flags.maxFailures, ...pages };
  return Object.keys(upload).length === 0 ? options : { ...options, upload };
}

type FailureLimit = Pick<BatchOptions, 'maxFailures' | 'maxFailureRate'>;

/** Reads `100` rows or `5%` of them. */
export function failureLimit(text: string): FailureLimit {
  const [, number = '', percent = ''] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(text.trim()) ?? [];
  const share = Number(number) / 100;
  if (percent === '%' && share > 0 && share <= 1) return { maxFailureRate: share };
  if (percent === '' && number !== '') return { maxFailures: numberFrom(1)(number) };
  throw new InvalidArgumentError('It must be a number of rows or a percentage, for example 100 or 5%.');
}

const FOLDER_OF_BATCHES = 'media-service-batches';

/** The input of `startBatch`, after the manifest was checked as far as it is readable here. */
interface PreparedBatch {
  readonly batchId: string;
  readonly manifest: ManifestFile;
  readonly manifestDigest?: string;
  readonly folder: FileLocation;
  readonly options: BatchOptions;
}

export async function prepareBatch(preparing: Preparing, manifest: ManifestArgument): Promise<PreparedBatch> {
  const { context, flags } = preparing;
  const { format, source, name, identity } = manifest;
  const batchId = checkBatchId(flags.id ?? defaultBatchId(name, identity), '--id');
  const checked = await checkBeforeStart(preparing, manifest, batchId);
  const hasPaths = checked?.hasPaths ?? pathOfSource(source) !== undefined;
  const folder = parseLocation(flags.results ?? `${FOLDER_OF_BATCHES}/${batchId}`, {
    cwd: context.cwd,
    host: hostOf(preparing),
    field: '--results',
  });
  const options = {
    ...batchOptionsOf(flags, preparing.settings),
    sourceFolder: manifest.sourceFolder,
    // Sources without paths need no worker on this machine.
    ...given({ sourceHost: hasPaths ? hostOf(preparing) : undefined }),
  };
  return {
    ...{ batchId, folder, options, manifest: { source, format } },
    ...given({ manifestDigest: checked?.digest }),
  };
}

/** The machine of paths. Undefined: every worker mounts them. */
export function hostOf({ settings, flags }: Pick<Preparing, 'settings' | 'flags'>): string | undefined {
  return flags.sharedPath === true ? undefined : settings.host;
}

export interface Preparing {
  readonly context: CliContext;
  readonly settings: Settings;
  readonly flags: BatchFlags;
}

/**
 * Reads a whole manifest and reports every mistake on stderr. Throws a `ValidationError` if there is any. Warnings do not
 * prevent the start. Undefined if only workers can reach the manifest, and so check it.
 */
async function checkBeforeStart(
  preparing: Preparing,
  manifest: ManifestArgument,
  batchId: string,
): Promise<CheckedHere | undefined> {
  const { context, settings, flags } = preparing;
  const { terminal } = context;
  // A path that every worker mounts need not be mounted here.
  const pathsAreHere = flags.sharedPath !== true;
  try {
    const checked = await checkHere(context, manifest, {
      settings,
      rowContext: { folder: manifest.sourceFolder },
      looksAtPaths: pathsAreHere,
      partBytes: optionsIn(flags, UPLOAD_OPTIONS).partBytes,
      mayBeGone: () => wasStarted(settings, batchId),
      onFinding: (finding) =>
        terminal.report(terminal.isJson ? `${plainJson(shown(finding))}\n` : findingText(finding)),
    });
    const { mistakes } = checked.summary;
    if (mistakes === 0 || optionsIn(flags, BATCH_OPTIONS).skipBad === true) return checked;
    const what = `The manifest has ${counted(mistakes, 'mistake')}: nothing was started.`;
    throw new ValidationError('MANIFEST', what);
  } catch (error) {
    if (!isOnlyForWorkers(error, manifest)) throw error;
    const why = error.message.replace(/\.$/, '');
    terminal.warn({ message: `the manifest can't be read here, so only the workers check it: ${why}` });
    return undefined;
  }
}

/** A missing manifest is still an error. */
function isOnlyForWorkers(error: unknown, { source }: ManifestArgument): error is MediaServiceError {
  return (
    error instanceof MediaServiceError &&
    pathOfSource(source) === undefined &&
    ['Transport', 'Configuration', 'SourceNotAllowed', 'RequestRefused'].includes(error.code)
  );
}

/** Whether Temporal knows a start of this batch whose manifest was accepted. */
async function wasStarted(settings: Settings, batchId: string): Promise<boolean> {
  const workflowId = batchWorkflowOf(settings, batchId);
  return withTemporal(settings, async (connection) => {
    const earlier = await earlierBatch(connection, workflowId).catch((error: unknown) => {
      throw errorOfRpc(connection, workflowId, error);
    });
    return earlier?.memo.planned === true;
  });
}
