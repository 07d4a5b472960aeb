import { InvalidArgumentError } from 'commander';
import type { SortRule } from '../../api/media/sort';

/** Reads `title`, `title,DESC` or `title,ASC,ignorecase`: one rule of a search's order. */
export function sortRule(text: string): SortRule {
  const [property = '', ...words] = text.split(',').map((word) => word.trim());
  const upper = words.map((word) => word.toUpperCase());
  const direction = upper.find((word) => word === 'ASC' || word === 'DESC');
  const unknown = upper.filter((word) => word !== direction && word !== 'IGNORECASE');
  if (property === '' || unknown.length > 0) {
    throw new InvalidArgumentError('It must be property[,ASC|DESC[,ignorecase]].');
  }
  return {
    property,
    ...(direction === undefined ? {} : { direction }),
    ...(upper.includes('IGNORECASE') ? { ignoreCase: true } : {}),
  };
}
