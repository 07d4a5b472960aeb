import { hostname } from 'node:os';
import { given } from '../api/json';
import { EnvReader } from './env-reader';
import type { Env } from './env-reader';
import { SOURCE_VARIABLES } from './source-variables';

/** Which sources this machine may read, and where it keeps working files. */
export interface SourceSettings {
  /** Unset: each program has its own rule (CLI: the folder it runs in; n8n: none). */
  readonly fileRoots?: readonly string[];
  readonly sourceHosts: readonly string[];
  /** Name of this machine in task queues. */
  readonly host: string;
  readonly spoolDir?: string;
}

/**
 * Reads only the settings of sources. n8n's nodes use it, because their other settings are in credentials. Throws a
 * `ConfigurationError` that names everything malformed.
 */
export function readSourceSettings(env: Env = process.env): SourceSettings {
  const reader = new EnvReader(env);
  const settings = sourceSettingsOf(reader);
  const problem = reader.problemFound();
  if (problem !== undefined) throw problem;
  return settings;
}

export function sourceSettingsOf(reader: EnvReader): SourceSettings {
  const fileRoots = reader.read(SOURCE_VARIABLES.fileRoots);
  const spoolDir = reader.read(SOURCE_VARIABLES.spoolDir);
  return {
    ...(fileRoots === undefined ? {} : { fileRoots }),
    sourceHosts: reader.read(SOURCE_VARIABLES.sourceHosts) ?? [],
    host: reader.read(SOURCE_VARIABLES.host) ?? hostname(),
    ...given({ spoolDir }),
  };
}
