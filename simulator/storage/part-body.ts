import type { IncomingMessage } from 'node:http';
import type { ArmedFault } from '../faults/fault-book';
import { piecesOf } from '../http/request-body';
import type { SimulatorState } from '../state';
import { BrokenBody } from './storage';

interface IncomingPart {
  readonly state: SimulatorState;
  readonly request: IncomingMessage;
  readonly part: number;
  readonly uploadId: string | undefined;
  readonly onBytes: (bytes: number) => unknown;
}

/**
 * The body of a part's PUT as it arrives, in constant memory, with its fault applied. Throws BrokenBody if it ends
 * before its Content-Length. If the consumer stops early, the connection stays open, so that the client still gets an
 * answer.
 */
export async function* partBody(
  incoming: IncomingPart,
  fault: ArmedFault | undefined,
): AsyncGenerator<Buffer> {
  const { request, onBytes } = incoming;
  const strikeAt = fault?.bytes ?? Math.floor(Number(request.headers['content-length'] ?? 0) / 2);
  let seen = 0;
  try {
    for await (const chunk of piecesOf(request)) {
      onBytes(chunk.length);
      const strikes = fault !== undefined && seen <= strikeAt && seen + chunk.length > strikeAt;
      seen += chunk.length;
      if (strikes) await strike(incoming, fault, seen);
      const does = fault?.definition.effect.does;
      if (does === 'trickle' && seen > strikeAt)
        await incoming.state.pause((chunk.length / (fault?.rate ?? 16_384)) * 1000);
      if (does === 'line') await queueOnLine(incoming, chunk.length, fault?.rate);
      yield chunk;
    }
  } catch (error) {
    throw new BrokenBody('The body ended early.', { cause: error });
  }
  if (!request.complete) throw new BrokenBody('The body ended early.');
}

async function strike(incoming: IncomingPart, fault: ArmedFault, bytes: number): Promise<void> {
  const { does } = fault.definition.effect;
  if (does === 'hold' && fault.isCleared === true) return;
  if (does === 'stall' || does === 'hold') await hold(incoming, does, bytes);
  // A stall always fails, even if the system's buffers have accepted the rest of the part.
  if (does !== 'stall' && does !== 'reset') return;
  incoming.request.socket.destroy();
  throw new BrokenBody('Broken off by a fault.');
}

async function hold({ state, part, uploadId }: IncomingPart, fault: string, bytes: number): Promise<void> {
  state.recorder.emit('held', { operation: 'put', part, bytes, fault, uploadId });
  await state.gates.wait(state.closing);
}

/** A busy process reads late: the line makes up for so much, ms. */
const LINE_LAG_MS = 250;

/** Bytes of all parts wait in one queue. */
function queueOnLine({ state }: IncomingPart, bytes: number, rate = 50_000): Promise<void> {
  const now = Date.now();
  state.lineFreeAt = Math.max(now - LINE_LAG_MS, state.lineFreeAt) + (bytes / rate) * 1000;
  return state.pause(Math.max(0, state.lineFreeAt - now));
}
