/** Max bytes of the parts that travel through Temporal in one activity. A larger part travels by itself. */
export const PART_GROUP_BYTES = 64 * 1024 * 1024;

/** Returns the smallest number of groups for the parts of a file. Pure. */
export function minPartGroups({ parts, bytes }: { readonly parts: number; readonly bytes: number }): number {
  const perGroup = Math.max(1, Math.floor(PART_GROUP_BYTES / (bytes / parts)));
  return Math.ceil(parts / perGroup);
}
