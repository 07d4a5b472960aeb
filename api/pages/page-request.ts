import { wrongField } from '../errors';

/** Largest page size of either search. api.md, "Limits". */
export const MAX_PAGE_SIZE = 1000;

/** Throws a `ValidationError` unless `page` is unset or an integer of at least 0. */
export function checkPage(page: number | undefined): void {
  if (page === undefined || (Number.isInteger(page) && page >= 0)) return;
  throw wrongField('page', `is ${page}: it must be a whole number of at least 0`, 'Page 0 is the first.');
}

/** Throws a `ValidationError` unless `size` is unset or an integer from `minimum` to 1000. */
export function checkSize(size: number | undefined, minimum: number): void {
  if (size === undefined || (Number.isInteger(size) && size >= minimum && size <= MAX_PAGE_SIZE)) return;
  throw wrongField('size', `is ${size}: it must be between ${minimum} and ${MAX_PAGE_SIZE}`, {
    remedy: { kind: 'read-every-page' },
  });
}

/** Throws a `ValidationError` unless `limit` is unset or an integer of at least 1. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit >= 1)) return;
  throw wrongField('limit', `is ${limit}: it must be a whole number of at least 1`, {
    remedy: { kind: 'get-everything' },
  });
}

/** Returns the page size of an iteration: the requested or the default size, but no more than the limit needs. */
export function iterationSize(size: number | undefined, limit: number | undefined): number {
  checkSize(size, 1);
  checkLimit(limit);
  return Math.min(size ?? DEFAULT_ITERATION_SIZE, limit ?? MAX_PAGE_SIZE);
}

const DEFAULT_ITERATION_SIZE = 500;
