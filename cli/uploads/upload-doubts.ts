import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { Settings } from '../../settings/settings';
import { doubtOfSource } from '../batch/outside-roots';

interface Started {
  readonly settings: Pick<Settings, 'fileRoots' | 'outputRoots' | 'sourceHosts'>;
  readonly cwd: string;
}

/** What may keep a worker from reading a source. */
export interface UploadDoubt {
  readonly message: string;
  readonly hint?: string;
}

/**
 * What a worker with this command's settings, started where it was, would refuse of these sources, each kind of doubt told once. Workers have
 * settings of their own: nothing is refused here for it. Never rejects.
 */
export async function uploadDoubts(
  sources: readonly SourceDescriptor[],
  { settings, cwd }: Started,
): Promise<UploadDoubt[]> {
  const doubtOf = doubtOfSource({ settings, cwd });
  const doubts = new Map<string, UploadDoubt>();
  for (const source of sources) {
    // A path that every worker mounts lies where their own settings say.
    const isShared = source.kind === 'path' && source.host === undefined;
    if (isShared) continue;
    const doubt = await doubtOf(source);
    if (doubt !== undefined) doubts.set(doubt.hint ?? doubt.message, doubt);
  }
  return [...doubts.values()];
}
