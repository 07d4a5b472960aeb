import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import { formatOf, MANIFEST_FORMATS } from '../../manifest/format';
import type { ManifestFormat } from '../../manifest/format';
import { wordOf } from '../flags/option-values';
import { sourceOptionsOf, withSourceFlags } from '../flags/option-flags';
import type { FlagValues } from '../flags/option-flags';
import { ValidationError } from '../../api/errors';
import { given } from '../../api/json';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { SourceAccess } from '../../files/sources/read-source';
import { fileNameOfSource, meaningOfSource, pathOfSource } from '../../api/upload/sources/source-rules';
import { manifestBytes } from '../../manifest/manifest-bytes';
import { sourceOf } from '../../manifest/row-request';
import type { RowContext } from '../../manifest/row-request';
import type { CliContext } from '../context';

/** Flags for how a manifest and its sources are read, as commander returns them. */
export interface ManifestFlags extends FlagValues {
  readonly format?: ManifestFormat;
  /** Relative paths start here. */
  readonly folder?: string;
}

/** For `batches check` and `batches start`, so that a manifest means the same to both. */
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
  const { folder, format } = flags;
  const { sourceSecret: secret, requesterPays } = sourceOptionsOf(flags);
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
  const source = sourceOf(text, { folder: cwd, ...rowContext });
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

/** Rejects if the argument is a folder of files instead of their manifest. */
export async function refuseFolder(text: string, cwd: string): Promise<void> {
  const facts = await stat(resolve(cwd, text)).catch(() => undefined);
  if (facts?.isDirectory() !== true) return;
  throw new ValidationError(
    'MANIFEST',
    `${text} is a folder, not a manifest.`,
    'Make a manifest of its files with `media-service batches plan`, and give that.',
  );
}

/** A manifest from stdin. It is read once, so that it can be checked before it is copied to where workers find it. */
interface StdinManifest {
  /** It is at no location of its own. */
  readonly source?: undefined;
  /** SHA-256 of its text. */
  readonly digest: string;
  /** Guessed from its first character. */
  readonly format: ManifestFormat;
  bytes(): AsyncIterable<Uint8Array>;
}

/**
 * Runs `use` with the content of stdin, in a temporary file for only this user that is removed afterwards. Memory does
 * not grow with the content.
 */
export async function withStdinManifest<T>(
  stdin: AsyncIterable<Uint8Array>,
  use: (manifest: StdinManifest) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'stdin-manifest-'));
  const path = join(folder, 'manifest');
  try {
    const { digest, format } = await keep(stdin, path);
    return await use({ digest, format, bytes: () => createReadStream(path) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function keep(
  stdin: AsyncIterable<Uint8Array>,
  path: string,
): Promise<Pick<StdinManifest, 'digest' | 'format'>> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  let head = '';
  try {
    for await (const chunk of stdin) {
      hash.update(chunk);
      head ||= firstCharacter(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  return { digest: hash.digest('hex'), format: head === '{' ? 'jsonl' : 'csv' };
}

/** Returns the first character after spaces and a byte order mark; empty if there is none. */
function firstCharacter(chunk: Uint8Array): string {
  return Buffer.from(chunk.subarray(0, 1024))
    .toString('utf8')
    .replace(/^[\s\ufeff]+/, '')
    .charAt(0);
}
