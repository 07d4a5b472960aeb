import { createHmac } from 'node:crypto';
import { type Json, type JsonRecord, isJsonRecord, parseJson } from '../../../simulator/json';
import type { SimulatorOptions } from '../../../simulator/options';
import type { Simulator } from '../../../simulator/start-simulator';
import { startSimulator } from '../../../simulator/start-simulator';
import { afterTest } from '../../support/after-test';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export const SMALL = { seed: { media: 40, deliveries: 60 }, processingMs: 0, searchLagMs: 0 };

/** Runs the test on a simulator with a small seed, which is closed after it. */
export async function withSimulator(
  options: SimulatorOptions,
  test: (simulator: Simulator, client: BareClient) => Promise<void>,
): Promise<void> {
  const simulator = await startSimulator({ ...SMALL, ...options });
  afterTest(() => simulator.close());
  await test(simulator, new BareClient(simulator));
}

type LoginField = 'timestamp' | 'body' | 'secretKey' | 'signature' | 'apiKey' | 'externalId' | 'contentType';
export type LoginChange = Readonly<Partial<Record<LoginField, string>>>;

/** A client written only from the interface: these tests check the simulator, not the project's own client. */
export class BareClient {
  #token: string | undefined;

  constructor(readonly simulator: Simulator) {}

  async login(change: LoginChange = {}): Promise<Reply> {
    const { account, baseUrl } = this.simulator;
    const timestamp = change.timestamp ?? new Date().toISOString();
    const body = change.body ?? JSON.stringify({ timestamp });
    const signature = createHmac('sha256', change.secretKey ?? account.secretKey)
      .update(body)
      .digest('hex');
    return send(`${baseUrl}/api/login`, {
      method: 'POST',
      headers: {
        'content-type': change.contentType ?? 'application/json',
        'x-authentication-api-key': change.apiKey ?? account.apiKey,
        'x-multitenant-external-id': change.externalId ?? account.externalId,
        'x-authentication-signature': change.signature ?? signature,
      },
      body,
    });
  }

  /** Logs in once. */
  async token(): Promise<string> {
    this.#token ??= textAt(record(await this.login()), 'accessToken');
    return this.#token;
  }

  /** Uses this token in all further requests. */
  use(token: string): void {
    this.#token = token;
  }

  async call(method: string, url: string, body?: Json, headers: Record<string, string> = {}): Promise<Reply> {
    return send(url, {
      method,
      headers: {
        authorization: `Bearer ${await this.token()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  search(filter: Json = {}, query = ''): Promise<Reply> {
    return this.call('POST', `${this.simulator.baseUrl}/api/media/search${query}`, filter);
  }

  webhooks(query = '', accept = 'application/json'): Promise<Reply> {
    return this.call('GET', `${this.simulator.baseUrl}/api/webhook/search${query}`, undefined, { accept });
  }

  start(change: JsonRecord = {}): Promise<Reply> {
    const body = { amountOfParts: 1, media: { fileType: 'MP4' }, ...change };
    return this.call('POST', `${this.simulator.uploadUrl}/upload/start`, body);
  }

  /** Starts a session with one part and the default shapes. */
  async started(amountOfParts = 1): Promise<{ uploadId: string; mediaId: string; urls: string[] }> {
    const answer = record(await this.start({ amountOfParts }));
    const urls = Array.isArray(answer['presignedUrls']) ? answer['presignedUrls'] : [];
    return {
      uploadId: textAt(answer, 'uploadId'),
      mediaId: textAt(answer, 'mediaId'),
      urls: urls.map((url) => (isJsonRecord(url) ? textAt(url, 'presignedUrl') : '')),
    };
  }

  session(uploadId: string): Promise<Reply> {
    return this.call('GET', `${this.simulator.uploadUrl}/upload/${uploadId}`);
  }

  complete(uploadId: string, eTags: readonly string[]): Promise<Reply> {
    const parts = eTags.map((eTag, at) => ({ partNumber: at + 1, eTag }));
    return this.call('POST', `${this.simulator.uploadUrl}/upload/${uploadId}/complete`, { parts });
  }
}

export async function send(url: string, init: RequestInit = {}): Promise<Reply> {
  const answer = await fetch(url, { redirect: 'manual', ...init });
  // A byte order mark stays.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, text };
}

export function put(
  url: string | undefined,
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const type = { 'content-type': 'application/octet-stream' };
  return send(url ?? 'missing', { method: 'PUT', body, headers: { ...type, ...headers } });
}

/** The answer as a JSON object. */
export function record({ text }: Reply): JsonRecord {
  const value = parseJson(text);
  if (!isJsonRecord(value)) throw new Error('The answer is no JSON object.');
  return value;
}

export function eTagOf({ headers }: Reply): string {
  return (headers.get('etag') ?? '').replaceAll('"', '');
}

export function textAt(object: JsonRecord, key: string): string {
  const value = object[key];
  if (typeof value !== 'string') throw new Error(`${key} is no text.`);
  return value;
}
