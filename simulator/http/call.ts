import type { IncomingMessage } from 'node:http';

/** A request to an operation of the service. */
export interface Call {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** From the path. Empty if the operation has none. */
  readonly uploadId: string;
  readonly partNumber: string;
  /** The sub-account of the request's token. Empty for login. */
  readonly subAccountId: string;
}
