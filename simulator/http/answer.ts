import { STATUS_CODES } from 'node:http';
import type { ServerResponse, IncomingMessage } from 'node:http';
import type { Json } from '../json';
import type { Settings } from '../options';
import type { ShapeChoice } from '../shapes/shapes';
import { pathOf } from './listener';

/** A request to an operation of the service. */
export interface Call {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** From the path. Empty if the operation has none. */
  readonly uploadId: string;
  /** The sub-account of the request's token. Empty for login. */
  readonly subAccountId: string;
}

/** An answer before it is sent, so that a fault can still change it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export function jsonAnswer(status: number, body: Json, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    text: JSON.stringify(body),
  };
}

/** A request that the service refuses. The client receives the message. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** @throws Refusal 400 with this message unless the condition holds. */
export function refuseUnless(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Refusal(400, message);
}

/** The refusal in the chosen error shape ("Shape of the error response body: not shown"). */
export function refusalAnswer(
  { status, message, headers }: Refusal,
  request: IncomingMessage,
  { shapes, settings }: { readonly shapes: ShapeChoice; readonly settings: Settings },
): Answer {
  const path = pathOf(request);
  const reason = STATUS_CODES[status] ?? 'Error';
  if (shapes.has('error-empty')) return { status, headers, text: '' };
  if (shapes.has('error-text'))
    return { status, headers: { ...headers, 'content-type': 'text/plain' }, text: message };
  if (shapes.has('error-list'))
    return jsonAnswer(
      status,
      { errors: [{ code: reason.replaceAll(' ', '_').toUpperCase(), message }] },
      headers,
    );
  if (shapes.has('error-problem')) {
    const problem = { type: 'about:blank', title: reason, status, detail: message, instance: path };
    return jsonAnswer(status, problem, { ...headers, 'content-type': 'application/problem+json' });
  }
  return jsonAnswer(
    status,
    { timestamp: new Date(settings.now()).toISOString(), status, error: reason, message, path },
    headers,
  );
}

export function send(response: ServerResponse, answer: Answer, onSent?: () => void): void {
  const body = Buffer.from(answer.text, 'utf8');
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(body.length) });
  response.end(body, onSent);
}
