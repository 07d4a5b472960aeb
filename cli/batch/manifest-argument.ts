import { dirname } from 'node:path';
import { ValidationError } from '../../api/errors';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { formatOf, type ManifestFormat } from '../../manifest/format';
import { sourceFileName, sourceOf } from '../../manifest/row-request';

export interface ManifestArgument {
  readonly source: SourceDescriptor;
  readonly format: ManifestFormat;
  /** For people: its file name. */
  readonly name: string;
  /** Two manifests lie at the same place if and only if these texts are equal. */
  readonly identity: string;
  /** Where relative paths in it begin: its own folder, or the folder of the command where it has none here. */
  readonly sourceFolder: string;
}

export interface ManifestPlace {
  readonly cwd: string;
  /** The machine that paths lie on; unset: every worker mounts them. */
  readonly host?: string | undefined;
  /** Unset: its name tells. */
  readonly format?: ManifestFormat | undefined;
  /** Name of the secret whose headers go out with an http address. */
  readonly secret?: string | undefined;
  readonly requesterPays?: boolean | undefined;
}

/** The manifest that a path, an http(s) URL or `s3://bucket/key` names. Opens nothing. Throws a `ValidationError` where it names none. */
export function manifestArgument(
  text: string,
  { cwd, host, format, secret, requesterPays }: ManifestPlace,
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
    throw new ValidationError('MANIFEST', message, facts.hint);
  }
}

/** An address counts without its query: a pre-signed one has another each time. */
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
