import { dirname } from 'node:path';
import { adviceOf } from '../../api/advice';
import { ValidationError } from '../../api/errors';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { formatOf, type ManifestFormat } from '../../manifest/format';
import { sourceFileName, sourceOf } from '../../manifest/row-request';

export interface ManifestArgument {
  readonly source: SourceDescriptor;
  readonly format: ManifestFormat;
  /** The file name, for people. */
  readonly name: string;
  /** Two manifests have the same location if and only if these texts are equal. */
  readonly identity: string;
  /** Relative paths in the manifest start here: its own folder, or the command's folder if it has none here. */
  readonly sourceFolder: string;
}

export interface ManifestContext {
  readonly cwd: string;
  /** The machine of paths. Unset: every worker mounts them. */
  readonly host?: string | undefined;
  /** Unset: taken from the name. */
  readonly format?: ManifestFormat | undefined;
  /** Name of the secret whose headers go with an http address. */
  readonly secret?: string | undefined;
  readonly requesterPays?: boolean | undefined;
}

/**
 * Reads a manifest argument: a path, an http(s) URL or `s3://bucket/key`. Opens nothing. Throws a `ValidationError` for
 * anything else.
 */
export function manifestArgument(
  text: string,
  { cwd, host, format, secret, requesterPays }: ManifestContext,
): ManifestArgument {
  const source = named(() =>
    sourceOf(text, {
      folder: cwd,
      ...(host === undefined ? {} : { host }),
      ...(secret === undefined ? {} : { secret }),
      ...(requesterPays === undefined ? {} : { requesterPays }),
    }),
  );
  const name = sourceFileName(source) ?? '';
  return {
    source,
    format: format ?? formatOf(name),
    name: name.split(/[/\\]/).at(-1) ?? '',
    identity: identityOf(source),
    sourceFolder: source.kind === 'path' ? dirname(source.path) : cwd,
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

/** An address counts without its query, because a pre-signed URL has a new one each time. */
function identityOf(source: SourceDescriptor): string {
  switch (source.kind) {
    case 'path':
      return JSON.stringify([source.host ?? null, source.path]);
    case 's3':
      return JSON.stringify([source.bucket, source.key]);
    case 'http': {
      const { origin, pathname } = new URL(String(source.url));
      return origin + pathname;
    }
  }
}
