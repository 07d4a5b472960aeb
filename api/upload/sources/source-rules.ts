import { ValidationError } from '../../errors';
import type { SourceDescriptor } from './source';
import type { SourceRules } from './source-kind';
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

/** Returns what lists and logs show of a source: never a folder, a query or a secret. */
export function labelOfSource(source: SourceDescriptor): string {
  return rulesOf(source).label(source);
}

/** Returns the only machine that can read the source. Undefined: every machine can. */
export function hostOfSource(source: SourceDescriptor): string | undefined {
  return rulesOf(source).host?.(source);
}

/** Returns whether the source is deleted when the upload has ended. */
export function isOurs(source: SourceDescriptor): boolean {
  return rulesOf(source).isOurs?.(source) ?? false;
}
