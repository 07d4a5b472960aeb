import { given } from '../api/json';
import type { S3Settings } from '../files/s3/s3-objects';
import type { EnvReader } from './env-reader';
import { VARIABLES } from './variables';

/** What CLI and worker may use besides the files of this machine. */
export interface FileSettings {
  /** Folders for batches and reports. Unset: CLI and worker use the folder that they run in. */
  readonly outputRoots?: readonly string[];
  readonly s3: S3Settings;
  /** Path of the file or folder of named secrets. */
  readonly secrets?: string;
}

export function fileSettingsOf(reader: EnvReader): FileSettings {
  const outputRoots = reader.read(VARIABLES.outputRoots);
  const secrets = reader.read(VARIABLES.secrets);
  return {
    ...(outputRoots === undefined ? {} : { outputRoots }),
    s3: s3SettingsOf(reader),
    ...(secrets === undefined ? {} : { secrets }),
  };
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
