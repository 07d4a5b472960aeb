import type { ShapeChoice } from './shapes';

/** "At least 5 MB, except the last part". S3 means 5 MiB. */
export function leastPartBytes(shapes: ShapeChoice): number {
  return shapes.has('parts-from-5-mb') ? 5_000_000 : 5 * 1024 * 1024;
}
