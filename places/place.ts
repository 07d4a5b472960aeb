/**
 * Where something is kept outside the service: a manifest, a batch's account, a report, a schedule's state. Plain JSON, so that it
 * can stand in a workflow's input; which places a process may touch is its own setting.
 */
export type Place = PathPlace | S3Place;

/** A file or folder on a machine. */
export interface PathPlace {
  readonly kind: 'path';
  /** Absolute. */
  readonly path: string;
  /** The machine it lies on; unset: every worker mounts it at this path. */
  readonly host?: string;
}

/** An object, or all objects below a prefix. Endpoint, region and credentials are settings of whoever reads it. */
export interface S3Place {
  readonly kind: 's3';
  readonly bucket: string;
  /** Without a leading slash. */
  readonly key: string;
}
