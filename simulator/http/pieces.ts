import type { IncomingMessage } from 'node:http';

/**
 * The bytes of a message as they come. A consumer that stops early leaves the connection open, so that the other side can
 * still be answered.
 */
export function piecesOf(message: IncomingMessage): AsyncIterable<Buffer> {
  return message.iterator({ destroyOnReturn: false });
}
