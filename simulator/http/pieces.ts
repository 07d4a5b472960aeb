import type { IncomingMessage } from 'node:http';

/**
 * The bytes of a message as they arrive. If the consumer stops early, the connection stays open, so that the client
 * still gets an answer.
 */
export function piecesOf(message: IncomingMessage): AsyncIterable<Buffer> {
  return message.iterator({ destroyOnReturn: false });
}
