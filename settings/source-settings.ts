import { hostname } from 'node:os';
import { EnvReader, type Env } from './env-reader';
import { VARIABLES } from './variables';

/** Where sources may be read from, and where working files may lie, on this machine. */
export interface SourceSettings {
  /** Unset: nobody said, and each program has its own rule (CLI: the folder it runs in; n8n: none). */
  readonly fileRoots?: readonly string[];
  readonly sourceHosts: readonly string[];
  /** Name of this machine in task queues. */
  readonly host: string;
  readonly spoolDir?: string;
}

/**
 * Reads the settings of sources alone; n8n's nodes use it, for everything else of theirs stands in credentials. Throws a
 * `ConfigurationError` that names all that is malformed.
 */
export function readSourceSettings(env: Env = process.env): SourceSettings {
  const reader = new EnvReader(env);
  const settings = sourceSettingsOf(reader);
  reader.finish();
  return settings;
}

export function sourceSettingsOf(reader: EnvReader): SourceSettings {
  const fileRoots = reader.read(VARIABLES.fileRoots);
  const spoolDir = reader.read(VARIABLES.spoolDir);
  return {
    ...(fileRoots === undefined ? {} : { fileRoots }),
    sourceHosts: reader.read(VARIABLES.sourceHosts) ?? [],
    host: reader.read(VARIABLES.host) ?? hostname(),
    ...(spoolDir === undefined ? {} : { spoolDir }),
  };
}
