import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ArmedFault } from '../faults/fault-book';
import { piecesOf } from '../http/pieces';
import type { World } from '../world';
import { BrokenBody } from './storage';

export interface IncomingPart {
  readonly world: World;
  readonly request: IncomingMessage;
  readonly part: number;
  readonly uploadId: string | undefined;
  readonly onBytes: (bytes: number) => void;
}

/**
 * The body of a part's PUT as it arrives, in constant memory, with the fault that befalls it. Throws BrokenBody where it ends
 * before its Content-Length. A consumer that stops early leaves the connection open, so that it can still be answered.
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
      if (fault?.definition.effect.does === 'trickle' && seen > strikeAt)
        await trickle(incoming, fault, chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw new BrokenBody('The body ended early.', { cause: error });
  }
  if (!request.complete) throw new BrokenBody('The body ended early.');
}

async function strike(incoming: IncomingPart, fault: ArmedFault, bytes: number): Promise<void> {
  const { does } = fault.definition.effect;
  if (does === 'stall' || does === 'hold') await hold(incoming, does, bytes);
  // A stall never ends well, even where the kernel took in the rest of the part.
  if (does !== 'stall' && does !== 'reset') return;
  incoming.request.socket.destroy();
  throw new BrokenBody('Broken off by a fault.');
}

async function hold({ world, part, uploadId }: IncomingPart, fault: string, bytes: number): Promise<void> {
  const facts = { operation: 'put', part, bytes, fault } as const;
  world.recorder.emit('held', { ...facts, ...(uploadId === undefined ? {} : { uploadId }) });
  world.recorder.putsNow -= 1;
  await world.gates.wait(world.closing);
  world.recorder.putsNow += 1;
}

async function trickle({ world }: IncomingPart, fault: ArmedFault, bytes: number): Promise<void> {
  const waitMs = (bytes / (fault.rate ?? 16_384)) * 1000;
  await sleep(waitMs, undefined, { signal: world.closing }).catch(() => undefined);
}
