import { resolve } from 'node:path';
import { MediaServiceError } from '../../api/errors';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import type { ManifestFormat } from '../../manifest/format';
import type { FileLocation } from '../../files/file-location';
import { parseLocation, locationWithin } from '../../files/location-text';
import { writeFileAt } from '../../files/files';
import type { Settings } from '../../settings/settings';
import { checkBatchId, defaultBatchId } from '../../temporal/client/batch/batch-id';
import type { BatchOptions, ManifestInput } from '../../temporal/contract/batch';
import type { CliContext } from '../context';
import { batchOptionsOf, type BatchFlags } from '../flags/batch-flags';
import { checkBeforeStart, type CheckedManifest } from './check-before-start';
import { manifestArgument, refuseFolder } from './manifest-argument';
import type { StdinManifest } from './stdin-manifest';
import { withBatchFolder } from './with-batch-folder';
import { withManifestBytes } from './with-manifest-bytes';

const FOLDER_OF_BATCHES = 'media-service-batches';
const ID_LENGTH = 8;

/** The input of `startBatch`, after the manifest was checked as far as it is readable here. */
export interface PreparedBatch {
  readonly batchId: string;
  readonly manifest: ManifestInput;
  readonly manifestDigest?: string;
  readonly folder: FileLocation;
  readonly options: BatchOptions;
  /** Copies the manifest to where workers read it. Call it last, right before the start. */
  readonly bring?: () => Promise<void>;
}

export interface Preparing {
  readonly context: CliContext;
  readonly settings: Settings;
  readonly flags: BatchFlags;
}

/** Prepares a manifest that workers read at its own location. */
export async function prepareBatch(preparing: Preparing, text: string): Promise<PreparedBatch> {
  const { context, settings, flags } = preparing;
  await refuseFolder(text, context.cwd);
  const host = hostOf(preparing);
  const {
    source,
    format,
    name,
    identity,
    sourceFolder: itsFolder,
  } = manifestArgument(text, {
    cwd: context.cwd,
    host,
    format: flags.format,
    secret: flags.sourceSecret,
    requesterPays: flags.requesterPays,
  });
  const batchId = checkBatchId(flags.id ?? defaultBatchId(name, identity), '--id');
  const sourceFolder = sourceFolderOf(preparing, itsFolder);
  const reading = { settings, cwd: context.cwd, source, signal: context.interrupts.first };
  const checked = flags.check
    ? await withManifestBytes(reading, (bytes) =>
        check(preparing, bytes, { format, sourceFolder, source }),
      ).catch((error: unknown) => passUnreadable(context, error, source))
    : undefined;
  return {
    batchId,
    manifest: { source, format },
    ...(checked === undefined ? {} : { manifestDigest: checked.digest }),
    folder: folderOf(preparing, batchId),
    options: optionsOf(preparing, {
      sourceFolder,
      hasPaths: checked?.hasPaths ?? pathOfSource(source) !== undefined,
    }),
  };
}

/** Prepares a manifest from stdin: it is copied into the batch's folder. */
export async function prepareFromStdin(preparing: Preparing, stdin: StdinManifest): Promise<PreparedBatch> {
  const { context, settings, flags } = preparing;
  const { digest } = stdin;
  const format = flags.format ?? stdin.format;
  const batchId = checkBatchId(flags.id ?? `stdin-${digest.slice(0, ID_LENGTH)}`, '--id');
  const sourceFolder = sourceFolderOf(preparing, context.cwd);
  const checked = flags.check ? await check(preparing, stdin.bytes(), { format, sourceFolder }) : undefined;
  const folder = folderOf(preparing, batchId);
  const copy = locationWithin(folder, `manifest-${digest.slice(0, ID_LENGTH)}.${format}`);
  return {
    batchId,
    manifest: { source: copy, format },
    manifestDigest: digest,
    folder,
    options: optionsOf(preparing, { sourceFolder, hasPaths: checked?.hasPaths ?? true }),
    bring: () =>
      withBatchFolder({ settings, cwd: context.cwd, folder }, (access) =>
        writeFileAt(access, copy, stdin.bytes()),
      ),
  };
}

function check(
  { context, settings, flags }: Preparing,
  bytes: AsyncIterable<Uint8Array>,
  {
    format,
    sourceFolder,
    source,
  }: { readonly format: ManifestFormat; readonly sourceFolder: string; readonly source?: SourceDescriptor },
): Promise<CheckedManifest> {
  return checkBeforeStart(context, bytes, {
    settings,
    format,
    rowContext: { folder: sourceFolder },
    partBytes: flags.partSize,
    // A path that every worker mounts need not be mounted here.
    pathsAreHere: flags.sharedPath !== true,
    json: flags.json === true,
    manifest: source,
  });
}

/** Workers check a manifest that only they can reach. A missing manifest is still an error. */
function passUnreadable({ terminal }: CliContext, error: unknown, source: SourceDescriptor): undefined {
  const passes =
    error instanceof MediaServiceError &&
    pathOfSource(source) === undefined &&
    ['Transport', 'Configuration', 'SourceNotAllowed', 'RequestRefused'].includes(error.code);
  if (!passes) throw error;
  terminal.note(`The manifest can’t be read here, so only the workers check it: ${error.message}`);
  return undefined;
}

function hostOf({ settings, flags }: Preparing): string | undefined {
  return flags.sharedPath === true ? undefined : settings.host;
}

/** Relative paths of the manifest start here. */
function sourceFolderOf({ context, flags }: Preparing, otherwise: string): string {
  return flags.folder === undefined ? otherwise : resolve(context.cwd, flags.folder);
}

function folderOf(preparing: Preparing, batchId: string): FileLocation {
  const { context, flags } = preparing;
  const text = flags.to ?? `${FOLDER_OF_BATCHES}/${batchId}`;
  return parseLocation(text, { cwd: context.cwd, host: hostOf(preparing), field: '--to' });
}

/** Sources without paths need no worker on this machine. */
function optionsOf(
  preparing: Preparing,
  { sourceFolder, hasPaths }: { readonly sourceFolder: string; readonly hasPaths: boolean },
): BatchOptions {
  const host = hostOf(preparing);
  return {
    ...batchOptionsOf(preparing.flags, preparing.settings),
    sourceFolder,
    ...(hasPaths && host !== undefined ? { sourceHost: host } : {}),
  };
}
