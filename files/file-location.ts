/**
 * Where something is stored outside the service: a manifest, a batch's results, a report, a schedule's state. Plain
 * JSON for a workflow's input. Each process has its own setting for the locations that it may use.
 */
export type FileLocation = PathLocation | S3Location;

/** A file or folder on a machine. */
interface PathLocation {
  readonly kind: 'path';
  /** Absolute. */
  readonly path: string;
  /** The machine with the path. Unset: every worker mounts it at this path. */
  readonly host?: string;
}

/**
 * An object, or all objects below a prefix. Endpoint, region and credentials are settings of the process that reads it.
 */
interface S3Location {
  readonly kind: 's3';
  readonly bucket: string;
  /** Without a leading slash. */
  readonly key: string;
}
