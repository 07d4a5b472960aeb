import { given } from '../api/json';
import type { EnvReader } from './env-reader';
import { VARIABLES } from './variables';

/** Settings of a worker in production, besides account and sources. */
export interface WorkerSettings {
  /** Path of the file or folder of accounts. Unset: the worker serves the account of the environment. */
  readonly accountsPath?: string;
  /** Bytes per second. */
  readonly bandwidth?: number;
  /** Parts per second by storage host. */
  readonly storageLimits?: Readonly<Record<string, number>>;
  readonly deployment?: string;
  readonly buildId?: string;
  readonly tuning?: Readonly<Partial<Record<'heartbeatMs' | 'smallFileBytes' | 'pageRows', number>>>;
  readonly tracesEndpoint?: string;
}

export function workerSettingsOf(reader: EnvReader): WorkerSettings {
  const settings = {
    accountsPath: reader.read(VARIABLES.accounts),
    bandwidth: reader.read(VARIABLES.bandwidth),
    storageLimits: reader.read(VARIABLES.storageLimits),
    deployment: reader.read(VARIABLES.deployment),
    buildId: reader.read(VARIABLES.buildId),
    tuning: reader.read(VARIABLES.tuning),
    tracesEndpoint: reader.read(VARIABLES.tracesEndpoint),
  };
  return given(settings);
}
