import type { Command } from 'commander';
import { MANIFEST_FORMATS, type ManifestFormat } from '../../manifest/format';
import { wordOf } from './option-values';
import { withSourceFlags, type SourceFlags } from './upload-flags';

/** Flags for how a manifest and its sources are read, as commander returns them. */
export interface ManifestFlags extends SourceFlags {
  readonly format?: ManifestFormat;
  /** Relative paths start here. */
  readonly folder?: string;
}

/** For `batch check` and `batch start`, so that a manifest means the same to both. */
export function withManifestFlags(command: Command): Command {
  command
    .option(
      '--format <format>',
      `${MANIFEST_FORMATS.join(' or ')} (default: from the manifest's name)`,
      wordOf(MANIFEST_FORMATS),
    )
    .option('--folder <folder>', "base folder of relative paths (default: the manifest's folder)");
  return withSourceFlags(command);
}
