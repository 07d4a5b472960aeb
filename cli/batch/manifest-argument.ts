import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { adviceOf } from '../../api/advice';
import { ValidationError } from '../../api/errors';
import { given } from '../../api/json';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { SourceAccess } from '../../api/upload/sources/read-source';
import { fileNameOfSource, meaningOfSource, pathOfSource } from '../../api/upload/sources/source-rules';
import { formatOf } from '../../manifest/format';
import type { ManifestFormat } from '../../manifest/format';
import { manifestBytes } from '../../manifest/manifest-bytes';
import { sourceOf } from '../../manifest/row-request';
import type { RowContext } from '../../manifest/row-request';
import type { CliContext } from '../context';
import type { ManifestFlags } from '../flags/manifest-flags';
import { withStdinManifest } from './stdin-manifest';
import type { StdinManifest } from './stdin-manifest';

/** A manifest that a command reads. */
export type ManifestToRead = ManifestArgument | (StdinManifest & Pick<ManifestArgument, 'sourceFolder'>);

interface ManifestArgument {
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
  /** The argument: `-` is stdin. */
  readonly text: string;
  readonly flags: ManifestFlags;
  /** The machine of paths. Unset: every worker mounts them. */
  readonly host?: string | undefined;
}

/** Runs `use` with the manifest that an argument names. */
export async function withManifest<T>(
  { terminal, cwd, stdin }: CliContext,
  { text, flags, host }: NamedManifest,
  use: (manifest: ManifestToRead) => Promise<T>,
): Promise<T> {
  const { folder, format, sourceSecret: secret, requesterPays } = flags;
  const named = given({ format, sourceFolder: folder === undefined ? undefined : resolve(cwd, folder) });
  if (text === '-') {
    if (stdin.isTTY === true) terminal.note('Reading the manifest from this terminal; Ctrl-D ends it.');
    return withStdinManifest(stdin, (read) => use({ ...read, sourceFolder: cwd, ...named }));
  }
  await refuseFolder(text, cwd);
  const manifest = manifestArgument(text, { cwd, format, secret, requesterPays, ...given({ host }) });
  return use({ ...manifest, ...named });
}

interface ManifestContext extends Omit<RowContext, 'folder'> {
  readonly cwd: string;
  /** Unset: taken from the name. */
  readonly format?: ManifestFormat | undefined;
}

/**
 * Understands a manifest argument: a path, an http(s) URL or `s3://bucket/key`. Opens nothing. Throws a
 * `ValidationError` for anything else. The user has named the path, so it may be outside the roots.
 */
export function manifestArgument(
  text: string,
  { cwd, format, ...rowContext }: ManifestContext,
): ManifestArgument {
  const source = named(() => sourceOf(text, { folder: cwd, ...rowContext }));
  const name = fileNameOfSource(source) ?? '';
  const path = pathOfSource(source);
  return {
    source,
    format: format ?? formatOf(name),
    name,
    identity: JSON.stringify(meaningOfSource(source)),
    sourceFolder: path === undefined ? cwd : dirname(path),
    bytes: (access, signal) =>
      manifestBytes(path === undefined ? access : { ...access, roots: [dirname(path)] }, source, signal),
  };
}

function named(read: () => SourceDescriptor): SourceDescriptor {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { message, facts } = error;
    throw new ValidationError('MANIFEST', message, adviceOf(facts));
  }
}

/** Rejects if the argument is a folder of files instead of their manifest. */
export async function refuseFolder(text: string, cwd: string): Promise<void> {
  const facts = await stat(resolve(cwd, text)).catch(() => undefined);
  if (facts?.isDirectory() !== true) return;
  throw new ValidationError(
    'MANIFEST',
    `${text} is a folder, not a manifest.`,
    'Make a manifest of its files with `media-service batch plan`, and give that.',
  );
}
