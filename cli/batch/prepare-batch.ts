import { given } from '../../api/json';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import { locationWithin, parseLocation } from '../../files/file-location';
import type { FileLocation } from '../../files/file-location';
import { writeFileAt } from '../../files/files';
import { checkBatchId, defaultBatchId } from '../../temporal/batch/client/batch-input';
import type { BatchOptions, ManifestInput } from '../../temporal/batch/types';
import { batchOptionsOf } from '../flags/batch-flags';
import { checkBeforeStart } from './check-before-start';
import type { Preparing } from './check-before-start';
import type { ManifestToRead } from './manifest-argument';
import { withBatchFolder } from './with-batch-folder';

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

/** Workers read a manifest at its own location, and one from stdin as a copy in the batch's folder. */
export async function prepareBatch(preparing: Preparing, manifest: ManifestToRead): Promise<PreparedBatch> {
  const { context, settings, flags } = preparing;
  const { format, source } = manifest;
  const batchId = checkBatchId(flags.id ?? defaultIdOf(manifest), '--id');
  const checked = flags.check ? await checkBeforeStart(preparing, manifest, batchId) : undefined;
  const hasPaths = checked?.hasPaths ?? (source === undefined || pathOfSource(source) !== undefined);
  const folder = parseLocation(flags.to ?? `${FOLDER_OF_BATCHES}/${batchId}`, {
    cwd: context.cwd,
    host: hostOf(preparing),
    field: '--to',
  });
  const prepared = { batchId, folder, options: optionsOf(preparing, manifest.sourceFolder, hasPaths) };
  if (manifest.source !== undefined) {
    return {
      ...prepared,
      manifest: { source: manifest.source, format },
      ...given({ manifestDigest: checked?.digest }),
    };
  }
  const { digest } = manifest;
  const copy = locationWithin(folder, `manifest-${digest.slice(0, ID_LENGTH)}.${format}`);
  return {
    ...prepared,
    manifest: { source: copy, format },
    manifestDigest: digest,
    bring: () =>
      withBatchFolder({ settings, cwd: context.cwd, folder }, (access) =>
        writeFileAt(access, copy, manifest.bytes()),
      ),
  };
}

function defaultIdOf(manifest: ManifestToRead): string {
  return manifest.source === undefined
    ? `stdin-${manifest.digest.slice(0, ID_LENGTH)}`
    : defaultBatchId(manifest.name, manifest.identity);
}

/** The machine of paths. Undefined: every worker mounts them. */
export function hostOf({ settings, flags }: Pick<Preparing, 'settings' | 'flags'>): string | undefined {
  return flags.sharedPath === true ? undefined : settings.host;
}

/** Sources without paths need no worker on this machine. */
function optionsOf(preparing: Preparing, sourceFolder: string, hasPaths: boolean): BatchOptions {
  const { flags, settings } = preparing;
  return {
    ...batchOptionsOf(flags, settings),
    sourceFolder,
    ...given({ sourceHost: hasPaths ? hostOf(preparing) : undefined }),
  };
}
