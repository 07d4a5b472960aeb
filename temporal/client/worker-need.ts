import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { Place } from '../../places/place';
import type { BatchInput } from '../contract/batch';

/** Which workers something in Temporal needs before it can go on. */
export interface WorkerNeed {
  readonly queuePrefix: string;
  readonly accountId: string;
  /** Machines on which a worker of the account has to run; empty: any worker of the account will do. */
  readonly hosts: readonly HostNeed[];
}

export interface HostNeed {
  readonly host: string;
  /** Why it has to be this machine, as `the file is there`. */
  readonly because: string;
}

type Account = Pick<WorkerNeed, 'queuePrefix' | 'accountId'>;

/** The workers that an upload of this source needs. */
export function uploadNeed({
  queuePrefix,
  accountId,
  source,
}: Account & { readonly source: SourceDescriptor }): WorkerNeed {
  return { queuePrefix, accountId, hosts: hostNeeds([[hostOf(source), 'the file is there']]) };
}

/** The workers that a batch needs to read its manifest, write its folder and read its files. */
export function batchNeed({
  queuePrefix,
  accountId,
  manifest,
  folder,
  options,
}: Account & Pick<BatchInput, 'manifest' | 'folder' | 'options'>): WorkerNeed {
  const hosts = hostNeeds([
    [hostOf(folder), 'the folder of the batch is there'],
    ['rows' in manifest ? undefined : hostOf(manifest.source), 'the manifest is there'],
    [options.sourceHost, 'the files are there'],
  ]);
  return { queuePrefix, accountId, hosts };
}

/** Each machine once, with its first reason. */
export function hostNeeds(
  wanted: readonly (readonly [host: string | undefined, because: string])[],
): HostNeed[] {
  const reasons = new Map<string, string>();
  for (const [host, because] of wanted) {
    if (host !== undefined && !reasons.has(host)) reasons.set(host, because);
  }
  return [...reasons].map(([host, because]) => ({ host, because }));
}

/** The machine that a file or folder belongs to; undefined where every worker reaches it. */
export function hostOf(location: SourceDescriptor | Place): string | undefined {
  return location.kind === 'path' ? location.host : undefined;
}
