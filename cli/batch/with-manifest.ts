import { resolve } from 'node:path';
import { given } from '../../api/json';
import type { CliContext } from '../context';
import type { ManifestFlags } from '../flags/manifest-flags';
import { manifestArgument, refuseFolder, type ManifestToRead } from './manifest-argument';
import { withStdinManifest } from './stdin-manifest';

interface NamedManifest {
  /** The argument: `-` is stdin. */
  readonly text: string;
  readonly flags: ManifestFlags;
  /** The machine of paths. Unset: every worker mounts them. */
  readonly host?: string | undefined;
}

/** Runs `use` with the manifest that an argument names. */
export async function withManifest<T>(
  { terminal, cwd }: CliContext,
  { text, flags, host }: NamedManifest,
  use: (manifest: ManifestToRead) => Promise<T>,
): Promise<T> {
  const { folder, format, sourceSecret: secret, requesterPays } = flags;
  const named = given({ format, sourceFolder: folder === undefined ? undefined : resolve(cwd, folder) });
  if (text === '-') {
    if (process.stdin.isTTY) terminal.note('Reading the manifest from this terminal; Ctrl-D ends it.');
    return withStdinManifest(process.stdin, (stdin) => use({ ...stdin, sourceFolder: cwd, ...named }));
  }
  await refuseFolder(text, cwd);
  const manifest = manifestArgument(text, { cwd, format, secret, requesterPays, ...given({ host }) });
  return use({ ...manifest, ...named });
}
