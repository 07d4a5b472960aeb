import { hostname } from 'node:os';
import { EnvReader, type Env } from './env-reader';
import { SOURCE_VARIABLES } from './source-variables';

/** Where sources may be read from, and where working files may lie, on this machine. */
export interface SourceSettings {
  /** Unset: nobody said, and each program has its own rule (CLI: the folder it runs in; n8n: none). */
  readonly fileRoots?: readonly string[];
  readonly sourceHosts: readonly string[];
  /** Name of this machine in task queues. */
  readonly host: string;
  readonly spoolDir?: string;
  /** Where uploads inside n8n keep their journals. Unset: in n8n's data folder. */
  readonly stateDir?: string;
}

/**
 * Reads the settings of sources alone; n8n's nodes use it, for everything else of theirs stands in credentials. Throws a
 * `ConfigurationError` that names all that is malformed.
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
  const stateDir = reader.read(SOURCE_VARIABLES.stateDir);
  return {
    ...(fileRoots === undefined ? {} : { fileRoots }),
    sourceHosts: reader.read(SOURCE_VARIABLES.sourceHosts) ?? [],
    host: reader.read(SOURCE_VARIABLES.host) ?? hostname(),
    ...(spoolDir === undefined ? {} : { spoolDir }),
    ...(stateDir === undefined ? {} : { stateDir }),
  };
}
