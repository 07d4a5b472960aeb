import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../api/clock';
import { given } from '../../api/json';
import { createToken } from '../../gateway/tokens';
import type { Right } from '../../gateway/tokens';
import type { GatewayConfig } from '../../gateway/gateway-config';
import { runGateway } from '../../gateway/run-gateway';
import { startRun } from './start-run';
import { until } from './until';
import type { UploadFixture } from './upload-fixture';

/** An answer of the gateway: its JSON if it has some, and its text. */
export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** For `toMatchObject`; empty if the body is no JSON. */
  readonly json: Record<string, unknown>;
}

export interface Asking {
  readonly method?: string;
  /** Sent as JSON. A text, bytes or a stream is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: none. Default: a token with all rights. */
  readonly token?: string | null;
  readonly signal?: AbortSignal;
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

/** A gateway in this process for the fixture's account, with a token that has all rights. */
export async function startTestGateway(
  fixture: Pick<UploadFixture, 'accountId' | 'config' | 'folder' | 'queuePrefix'>,
  change: Partial<GatewayConfig> = {},
  clock?: Clock,
) {
  const unique = randomBytes(6).toString('hex');
  const { tokensFile = join(fixture.folder, `tokens-${unique}.json`) } = change;
  const makeToken = (name: string, rights: readonly Right[], account = fixture.accountId): Promise<string> =>
    createToken({ file: tokensFile, name, account, rights });
  const full = await makeToken(`full-${unique}`, ['read', 'start', 'control']);
  const { host, roots, outputRoots = [], spoolDir } = fixture.config;
  const config: GatewayConfig = {
    temporal: fixture.config.temporal,
    accounts: fixture.config.accounts,
    queuePrefix: fixture.queuePrefix,
    listen: { host: '127.0.0.1', port: 0 },
    tokensFile,
    worker: { host, roots, outputRoots, ...given({ spoolDir }) },
    logLevel: 'error',
    ...change,
  };
  const { ready: url, stop } = await startRun<string>((signal, onReady) =>
    runGateway(config, { signal, onReady, writeLog: () => undefined, ...given({ clock }) }),
  );
  const askPath = (path: string, asking: Asking = {}): Promise<GatewayAnswer> =>
    ask(url + path, { token: full, ...asking });
  return {
    url,
    tokensFile,
    /** The token with all rights. */
    token: full,
    ask: askPath,
    /** Asks again and again. Resolves with the first answer that passes. */
    askUntil: (path: string, holds: (answer: GatewayAnswer) => boolean, asking?: Asking) =>
      until(`the answer of ${path}`, () => askPath(path, asking), holds),
    makeToken,
    stop,
  };
}

async function ask(
  url: string,
  { method, body, headers = {}, token, signal }: Asking,
): Promise<GatewayAnswer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token == null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body), duplex: 'half' }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}
