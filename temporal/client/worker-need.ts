import type { SourceDescriptor } from '../../api/upload/sources/source';
import { hostOfSource } from '../../api/upload/sources/source-rules';
import type { FileLocation } from '../../files/file-location';
import type { BatchInput } from '../contract/batch';

/** The workers that something in Temporal needs before it can continue. */
export interface WorkerNeed {
  readonly queuePrefix: string;
  readonly accountId: string;
  /** Machines on which a worker of the account must run. Empty: any worker of the account is enough. */
  readonly hosts: readonly HostNeed[];
}

export interface HostNeed {
  readonly host: string;
  /** Why it must be this machine, as `the file is there`. */
  readonly because: string;
}

type Account = Pick<WorkerNeed, 'queuePrefix' | 'accountId'>;

/** The workers that an upload of this source needs. */
export function uploadNeed({
  queuePrefix,
  accountId,
  source,
}: Account & { readonly source: SourceDescriptor }): WorkerNeed {
  return { queuePrefix, accountId, hosts: hostNeeds([[hostOfSource(source), 'the file is there']]) };
}

/** The workers that a batch needs to read its manifest, write to its folder and read its files. */
export function batchNeed({
  queuePrefix,
  accountId,
  manifest,
  folder,
  options,
}: Account & Pick<BatchInput, 'manifest' | 'folder' | 'options'>): WorkerNeed {
  const hosts = hostNeeds([
    [hostOf(folder), 'the folder of the batch is there'],
    ['rows' in manifest ? undefined : hostOfSource(manifest.source), 'the manifest is there'],
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

/** The machine of a file or folder, or undefined if every worker can reach it. */
export function hostOf(location: FileLocation): string | undefined {
  return location.kind === 'path' ? location.host : undefined;
}
