import { given } from '../api/json';
import type { FileLocation } from '../files/file-location';
import type { S3Settings } from '../files/s3/s3-objects';
import type { EnvReader } from './env-reader';
import { VARIABLES } from './variables';

/** What CLI and worker may use besides the files of this machine. */
export interface FileSettings {
  /** Folders for batches and reports. Unset: CLI and worker use the folder that they run in. */
  readonly outputRoots?: readonly string[];
  readonly s3: S3Settings;
  /** For files that are sent to the HTTP door. */
  readonly sentFiles?: FileLocation;
  /** Path of the file or folder of named secrets. */
  readonly secrets?: string;
}

export function fileSettingsOf(reader: EnvReader): FileSettings {
  const outputRoots = reader.read(VARIABLES.outputRoots);
  const secrets = reader.read(VARIABLES.secrets);
  const sentFiles = reader.read(VARIABLES.sentFiles);
  return { s3: s3SettingsOf(reader), ...given({ outputRoots, secrets, sentFiles }) };
}

function s3SettingsOf(reader: EnvReader): S3Settings {
  const settings = {
    endpoint: reader.read(VARIABLES.s3Endpoint),
    region: reader.read(VARIABLES.s3Region),
    pathStyle: reader.read(VARIABLES.s3PathStyle),
    buckets: reader.read(VARIABLES.s3Buckets),
  };
  return given(settings);
}
