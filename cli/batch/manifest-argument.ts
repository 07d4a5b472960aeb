import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { formatOf, MANIFEST_FORMATS } from '../../manifest/format';
import type { ManifestFormat } from '../../manifest/format';
import { BATCH_OPTIONS } from '../../api/options/batch-options';
import { optionsIn, wordOf } from '../flags/options';
import type { FlagValues } from '../flags/options';
import { ValidationError } from '../../api/errors';
import { given } from '../../api/json';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { SourceAccess } from '../../files/sources/source-access';
import { fileNameOfSource, meaningOfSource, pathOfSource } from '../../api/upload/sources/source-rules';
import { manifestBytes } from '../../manifest/manifest-bytes';
import { sourceOf } from '../../manifest/row-request';
import type { CliContext } from '../context';

/** Flags for how a manifest and its sources are read, as commander returns them. */
export interface ManifestFlags extends FlagValues {
  readonly format?: ManifestFormat;
  /** Relative paths start here. */
  readonly folder?: string;
}

/** For `batches check` and `batches start`, so that a manifest means the same to both. */
export function withManifestFlags(command: Command): Command {
  return command
    .option(
      '--format <format>',
      `${MANIFEST_FORMATS.join(' or ')} (default: from the manifest's name)`,
      wordOf(MANIFEST_FORMATS),
    )
    .option('--folder <folder>', "base folder of relative paths (default: the manifest's folder)");
}

export interface ManifestArgument {
  readonly source: SourceDescriptor;
  readonly format: ManifestFormat;
  /** The file name, for people. */
  readonly name: string;
  /** Two manifests have the same location if and only if these texts are equal. */
  readonly identity: string;
  /** Relative paths in the manifest start here: its own folder, or the command's folder if it has none here. */
  readonly sourceFolder: string;
  bytes(access: SourceAccess, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

interface NamedManifest {
  readonly text: string;
  readonly flags: ManifestFlags;
  /** The machine of paths. Unset: every worker mounts them. */
  readonly host?: string | undefined;
}

/**
 * Understands a manifest argument with its flags: a path, an http(s) URL or `s3://bucket/key`. Opens nothing. Throws a
 * `ValidationError` for anything else, and for a folder of files instead of their manifest. The user has named the
 * path, so it may be outside the roots.
 */
export async function namedManifest(
  { cwd }: Pick<CliContext, 'cwd'>,
  { text, flags, host }: NamedManifest,
): Promise<ManifestArgument> {
  await refuseFolder(text, cwd);
  const { sourceSecret: secret } = optionsIn(flags, BATCH_OPTIONS);
  const source = sourceOf(text, { folder: cwd, ...given({ host }), secret });
  const name = fileNameOfSource(source) ?? '';
  const path = pathOfSource(source);
  return {
    source,
    format: flags.format ?? formatOf(name),
    name,
    identity: JSON.stringify(meaningOfSource(source)),
    sourceFolder: resolve(cwd, flags.folder ?? (path === undefined ? '' : dirname(path))),
    bytes: (access, signal) =>
      manifestBytes(path === undefined ? access : { ...access, roots: [dirname(path)] }, source, signal),
  };
}

async function refuseFolder(text: string, cwd: string): Promise<void> {
  // A missing file is named when it is read.
  const facts = await stat(resolve(cwd, text)).catch(() => undefined);
  if (facts?.isDirectory() !== true) return;
  throw new ValidationError(
    'MANIFEST',
    `${text} is a folder, not a manifest.`,
    'Make a manifest of its files with `media-service batches plan`, and give that.',
  );
}
