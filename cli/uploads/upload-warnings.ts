import { adviceText } from '../errors/what-to-do';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { hostOfSource, pathOfSource } from '../../api/upload/sources/source-rules';
import { sourceWarningOf } from '../batch/outside-roots';
import type { Started } from '../batch/outside-roots';

/** Something that may prevent a worker from reading a source. */
interface UploadWarning {
  readonly message: string;
  readonly hint?: string;
}

/**
 * Warns about sources that a worker with this command's settings and working folder would refuse, each kind once.
 * Nothing is refused here, because workers have their own settings. Never rejects.
 */
export async function uploadWarnings(
  sources: readonly SourceDescriptor[],
  { settings, cwd }: Started,
): Promise<UploadWarning[]> {
  const warningOf = sourceWarningOf({ settings, cwd });
  const warnings = new Map<string, UploadWarning>();
  for (const source of sources) {
    // The workers' own settings decide about a path that every worker mounts.
    const isShared = pathOfSource(source) !== undefined && hostOfSource(source) === undefined;
    if (isShared) continue;
    const warning = await warningOf(source);
    if (warning === undefined) continue;
    const { message } = warning;
    const hint = adviceText(warning);
    warnings.set(hint ?? message, { message, ...(hint === undefined ? {} : { hint }) });
  }
  return [...warnings.values()];
}
