import { ValidationError, wrongField } from '../errors';

/** One criterion of a search's order. */
export interface SortRule {
  /** Name of a media property. */
  readonly property: string;
  /** Default ASC. */
  readonly direction?: 'ASC' | 'DESC';
  /** Default false: case-sensitive. */
  readonly ignoreCase?: boolean;
}

/**
 * Returns the value of one `sort` parameter, such as `title,DESC,ignorecase`. The separator is not documented, so it is
 * an option. Throws a `ValidationError` for an empty property, a property that contains the separator, or an unknown
 * direction.
 */
export function sortText(rule: SortRule, separator: string): string {
  const property = rule.property.trim();
  if (property === '' || property.includes(separator)) {
    throw new ValidationError(
      'sort',
      property === ''
        ? 'a sort rule has no property'
        : `sort names the property "${property}", which contains the separator "${separator}"`,
      'Give one rule per property.',
    );
  }
  const direction = rule.direction?.toUpperCase();
  if (direction !== undefined && direction !== 'ASC' && direction !== 'DESC') {
    throw wrongField('sort', `has the direction "${direction}", which must be ASC or DESC`);
  }
  const ignoreCase = rule.ignoreCase === true;
  const parts = [
    property,
    direction ?? (ignoreCase ? 'ASC' : undefined),
    ignoreCase ? 'ignorecase' : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(separator);
}
