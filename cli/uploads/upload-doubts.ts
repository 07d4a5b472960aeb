import { MediaServiceError } from '../../api/errors';
import { checkSourceHost } from '../../api/upload/sources/http/allowed-host';
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
  const ofPath = doubtOfSource({ settings, cwd });
  const doubts = new Map<string, UploadDoubt>();
  for (const source of sources) {
    // A path that every worker mounts lies where their own settings say.
    const isShared = source.kind === 'path' && source.host === undefined;
    if (isShared) continue;
    const doubt =
      source.kind === 'http' ? await ofAddress(source.url, settings.sourceHosts) : await ofPath(source);
    if (doubt !== undefined) doubts.set(doubt.hint ?? doubt.message, doubt);
  }
  return [...doubts.values()];
}

async function ofAddress(url: unknown, sourceHosts: readonly string[]): Promise<UploadDoubt | undefined> {
  if (typeof url !== 'string') return undefined;
  try {
    await checkSourceHost(new URL(url), sourceHosts);
  } catch (error) {
    // A name that does not resolve here may resolve there.
    if (!(error instanceof MediaServiceError) || error.code !== 'SourceNotAllowed') return undefined;
    const { message, facts } = error;
    return { message, ...(facts.hint === undefined ? {} : { hint: facts.hint }) };
  }
  return undefined;
}
