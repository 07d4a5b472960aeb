import { ValidationError } from '../../errors';
import type { SourceDescriptor } from './source';
import type { AddressOptions, SourceRules } from './read-source';
import { HTTP_RULES } from './http/http-rules';
import { PATH_RULES } from './path/path-rules';
import { S3_RULES } from './s3/s3-rules';

const RULES: Readonly<Record<SourceDescriptor['kind'], SourceRules<SourceDescriptor>>> = {
  path: PATH_RULES,
  http: HTTP_RULES,
  s3: S3_RULES,
};

export function rulesOf({ kind }: SourceDescriptor): SourceRules<SourceDescriptor> {
  return RULES[kind];
}

/** Throws a `ValidationError` that names the wrong field. */
export function checkSource(source: SourceDescriptor): void {
  const kind: unknown = source.kind;
  if (typeof kind !== 'string' || !Object.hasOwn(RULES, kind)) {
    const known = Object.keys(RULES).join(', ');
    throw new ValidationError('source', `the kind of source "${String(kind)}" is not known: ${known}`);
  }
  rulesOf(source).check(source);
}

/**
 * Returns the source that an address names, such as `s3://bucket/key`. Undefined for a text without a scheme. Throws a
 * `ValidationError` for a scheme of no kind of source, and for an address that names none.
 */
export function addressedSource(text: string, options: AddressOptions): SourceDescriptor | undefined {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  const rules = Object.values(RULES).find(({ address }) => address?.schemes.includes(scheme) === true);
  if (rules?.address !== undefined) return rules.address.parse(text, options);
  throw new ValidationError(
    'source',
    `sources of the kind ${scheme.slice(0, 20)}:// are not read`,
    'Name a path, an http(s) URL or s3://bucket/key.',
  );
}

/** Returns what lists and logs show of a source: never a folder, a query or a secret. */
export function labelOfSource(source: SourceDescriptor): string {
  return rulesOf(source).label(source);
}

/** Returns the name of a source, as far as the source itself shows it. */
export function fileNameOfSource(source: SourceDescriptor): string | undefined {
  return rulesOf(source).fileName(source);
}

/**
 * Returns the name whose extension decides the file type. Undefined if only the reader of the source can decide, because
 * it sees a MIME type.
 */
export function typedFileName(source: SourceDescriptor): string | undefined {
  const fileName = fileNameOfSource(source);
  return rulesOf(source).reportsType && fileName?.includes('.') !== true ? undefined : fileName;
}

/** Returns JSON that is equal if two requests mean the same source, for digests. It holds no query and no secret. */
export function meaningOfSource(source: SourceDescriptor): readonly unknown[] {
  return [source.kind, ...rulesOf(source).meaning(source)];
}

/** Returns the only machine that can read the source. Undefined: every machine can. */
export function hostOfSource(source: SourceDescriptor): string | undefined {
  return rulesOf(source).host?.(source);
}

/** Returns the path of a source that is a file on a disk. */
export function pathOfSource(source: SourceDescriptor): string | undefined {
  return rulesOf(source).path?.(source);
}

/** Returns the address of a source that is read over a network. Undefined if it is sealed, or if it names no host. */
export function urlOfSource(source: SourceDescriptor): URL | undefined {
  return rulesOf(source).url?.(source);
}

/** Returns whether the source is deleted when the upload has ended. */
export function isOurs(source: SourceDescriptor): boolean {
  return rulesOf(source).isOurs?.(source) ?? false;
}
