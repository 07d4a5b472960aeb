/** Parts that travel through Temporal in one activity; a part that is larger travels alone. */
export const PART_GROUP_BYTES = 64 * 1024 * 1024;

/** Groups that the parts of a file need at least. Pure. */
export function minPartGroups({ parts, bytes }: { readonly parts: number; readonly bytes: number }): number {
  const perGroup = Math.max(1, Math.floor(PART_GROUP_BYTES / (bytes / parts)));
  return Math.ceil(parts / perGroup);
}
