import { openOutputFolder } from '../../places/output-folder';
import { parsePlace } from '../../places/place-text';
import type { Settings } from '../../settings/settings';

/**
 * Sees that the folders among the targets can be written, where this machine was told what may be: where nothing was said, the worker's own setting decides. Rejects
 * with `OutputFailed`.
 */
export async function checkFolders(
  { outputRoots }: Settings,
  targets: readonly string[],
  cwd: string,
): Promise<void> {
  if (outputRoots === undefined) return;
  for (const target of targets.filter((text) => /^file:/i.test(text.trim()))) {
    await openOutputFolder({ outputRoots }, parsePlace(target, { cwd, field: 'to' }));
  }
}
