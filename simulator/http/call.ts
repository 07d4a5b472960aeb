import type { IncomingMessage } from 'node:http';

/** A request to an operation of the service. */
export interface Call {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** Of the path; empty where the operation has none. */
  readonly uploadId: string;
  readonly partNumber: string;
}
