import type { IncomingMessage } from 'node:http';
import type { ServedAccount } from '../api/account';
import type { Clock } from '../api/clock';
import type { Transport } from '../api/transport/transport';
import type { FileAccess } from '../files/output-path';
import type { TemporalConnection } from '../temporal/client/connect';
import type { GatewayConfig } from './gateway-config';
import type { COMPONENTS, Schema } from './schemas';
import type { Right, Token } from './tokens';

/** What all routes share. */
export interface GatewayContext {
  readonly config: GatewayConfig;
  readonly connection: TemporalConnection;
  readonly queuePrefix: string;
  /** What the gateway may read: the folders of its worker, and S3. */
  readonly files: FileAccess;
  readonly clock: Clock;
  /** For posts of ends. */
  readonly transport: Transport;
  /** Aborts when the gateway stops. */
  readonly stopping: AbortSignal;
}

export interface ServedCaller extends ServedAccount {
  readonly accountId: string;
  /** Unset: the gateway has no file of tokens. */
  readonly token?: Token;
}

/** One request that may be answered: its token has the right, and its parts fit the schemas. */
export interface Call extends GatewayContext {
  readonly caller: ServedCaller;
  /** Id in the path; empty if the path has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body: unknown;
  /** The request itself, for a route that takes a stream. */
  readonly incoming: IncomingMessage;
  /** Aborts when the client has gone or the gateway stops. */
  readonly signal: AbortSignal;
}

export interface Answer {
  /** Default 200. */
  readonly status?: number;
  /** JSON, or a stream of text of `type`. */
  readonly body: object;
  readonly type?: string;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** As OpenAPI writes it: `/v1/uploads/{id}`. */
  readonly path: string;
  /** For generated clients. */
  readonly operationId: string;
  readonly summary: string;
  readonly right: Right;
  readonly query?: Readonly<Record<string, Schema>>;
  /** Fields of the query that must be there. */
  readonly required?: readonly string[];
  /** A schema of JSON. `stream`: anything, see `Call.incoming`. */
  readonly body?: Schema | 'stream';
  /** What a successful answer has. `lines`: text with a line for each row, as JSON or CSV. */
  readonly answer: keyof typeof COMPONENTS | 'lines';
  readonly handle: (call: Call) => Promise<Answer>;
}
