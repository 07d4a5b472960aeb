import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Effect } from '../faults/fault';
import type { ArmedFault } from '../faults/fault-book';
import type { SimulatorState } from '../state';
import { type Answer, Refusal, refusalAnswer, send } from './answer';
import { bearerOf } from './request-body';

/** "An answer of 10 GB". */
const ENDLESS_BYTES = 10 * 1024 ** 3;

interface FaultedExchange {
  readonly state: SimulatorState;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The answer without the fault, if the request was executed. */
  readonly answer?: Answer;
}

/** Applies a fault of a service operation. Resolves with the sent status; 0: none. */
export async function playFault(fault: ArmedFault, exchange: FaultedExchange): Promise<number> {
  const { state, request, response } = exchange;
  const { effect } = fault.definition;
  const foreign = foreignAnswer(effect, state);
  if (foreign !== undefined) {
    send(response, foreign);
    return foreign.status;
  }
  switch (effect.does) {
    case 'refuse':
      return sendRefusal(
        exchange,
        new Refusal(effect.status, fault.reason ?? effect.message, retryAfter(fault, effect.status)),
      );
    case 'revoke-token':
      state.tokens.delete(bearerOf(request) ?? '');
      return sendRefusal(exchange, new Refusal(401, 'The access token has expired.'));
    case 'silence':
      return 0;
    case 'cut-half':
      await sendHalf(exchange);
      return 0;
    case 'endless':
      await sendEndless(response);
      return 200;
    case 'cut':
      request.socket.destroy();
      return 0;
    default:
      throw new Error(
        `The service does not carry out "${effect.does}", as ${fault.definition.name} asks for.`,
      );
  }
}

/** An answer that neither the service nor storage gives: a page of something between, or a redirect. */
export function foreignAnswer(effect: Effect, { redirectTarget }: SimulatorState): Answer | undefined {
  if (effect.does === 'redirect') return { status: 307, headers: { location: redirectTarget }, text: '' };
  if (effect.does !== 'text') return undefined;
  return { status: effect.status, headers: { 'content-type': effect.contentType }, text: effect.text };
}

/** Retry-After is used only with 429 and 503. */
export function retryAfter(fault: ArmedFault, status: number): Record<string, string> {
  return status === 429 || status === 503 ? { 'retry-after': String(fault.seconds ?? 1) } : {};
}

function sendRefusal({ state, request, response }: FaultedExchange, refusal: Refusal): number {
  send(response, refusalAnswer(refusal, request, state));
  return refusal.status;
}

async function sendHalf({ request, response, answer }: FaultedExchange): Promise<void> {
  const body = Buffer.from(answer?.text ?? '', 'utf8');
  response.writeHead(answer?.status ?? 200, { ...answer?.headers, 'content-length': String(body.length) });
  await new Promise<void>((resolve) => {
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => resolve());
  });
  request.socket.destroy();
}

async function sendEndless(response: ServerResponse): Promise<void> {
  function* pieces(): Generator<Buffer> {
    const piece = Buffer.alloc(64 * 1024, 'a');
    yield Buffer.from('{"content":["');
    for (let bytes = 0; bytes < ENDLESS_BYTES; bytes += piece.length) yield piece;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  // The client closed the connection.
  await pipeline(Readable.from(pieces()), response).catch(() => undefined);
}
