import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import { isCertificateCode } from './undici-failure';

/**
 * Keeps two answers that undici would lose:
 * - the one after a `100 Continue` that nobody asked for, which the standard allows;
 * - the one of a server that does not read the whole body. Its connection is reset, and a write may fail before the
 *   answer is read.
 *
 * undici has no option for them. It publishes the socket of each request, right after `onRequestStart`.
 */
export function keepNextAnswer(): void {
  if (!subscribed) subscribe('undici:client:sendHeaders', (message) => keepAnswer(message));
  subscribed = true;
  isNext = true;
}

let subscribed = false;
/** The next published socket is of a request of ours. Other code of the process may use undici, too. */
let isNext = false;
const wrapped = new WeakSet<Socket>();

function keepAnswer(message: unknown): void {
  if (!isNext) return;
  isNext = false;
  const { socket } = message as { readonly socket: Socket };
  skipContinue(socket);
  if (wrapped.has(socket)) return;
  wrapped.add(socket);
  const write = socket._write.bind(socket);
  const writev = socket._writev?.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, afterReading(done));
  if (writev !== undefined) socket._writev = (chunks, done) => writev(chunks, afterReading(done));
}

type Done = (error?: Error | null) => void;

/** An answer that has arrived is read in the next round of the event loop. Then the write may fail. */
function afterReading(done: Done): Done {
  return (error) => {
    if (error instanceof Error) setImmediate(() => setImmediate(() => done(error)));
    else done(error);
  };
}

const BEGIN = 'HTTP/1.1 100';
const END = '\r\n\r\n';
/** Of one `100 Continue`. */
const MAX_BYTES = 16 * 1024;
const TOO_LARGE = 'UND_ERR_HEADERS_OVERFLOW';

/**
 * Removes each `100 Continue` before the answer. From the answer on, the socket is read as ever. One that is too large
 * ends the connection, and with it the request.
 */
function skipContinue(socket: Socket): void {
  if (Object.hasOwn(socket, 'read')) return;
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let held: Buffer = Buffer.alloc(0);
  socket.read = (size?: number) => {
    for (let chunk = read(size); chunk !== null; chunk = read(size)) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      let from = Math.max(0, held.length - chunk.length - END.length);
      for (let end = 0; isContinue(held); from = 0) {
        end = held.indexOf(END, from);
        if (end < 0) break;
        held = held.subarray(end + END.length);
      }
      if (isContinue(held)) {
        if (held.length <= MAX_BYTES) continue;
        socket.destroy(Object.assign(new Error('a 100 Continue does not end'), { code: TOO_LARGE }));
        return null;
      }
      Reflect.deleteProperty(socket, 'read');
      return held;
    }
    return null;
  };
}

/** Whether it begins as a `100 Continue`, as far as it goes: also if it is empty. */
function isContinue(bytes: Buffer): boolean {
  const begin = bytes.toString('latin1', 0, BEGIN.length).replace('/1.0', '/1.1');
  return BEGIN.startsWith(begin);
}

/**
 * Returns a connector whose sockets can't end the process. A library that throws in a listener of a socket, for example
 * because of what a server did, would do so outside of every call. Here the socket is closed with that exception, and
 * its request rejects.
 */
export function guardedConnect(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      // undici leaves the socket out if it reports an error, whatever its types say.
      if (result[1] instanceof Socket) guard(result[1]);
      callback(...result);
    });
  };
}

function guard(socket: Socket): void {
  // The type has an overload for each event.
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...values: unknown[]) => boolean;
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    try {
      return emit(event, ...values);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error('a listener of the socket failed'));
      return true;
    }
  };
}

/**
 * Lets the error of a refused certificate carry its issuer, see `issuedBy`. A connection that ended shows no certificate
 * any more. Anything but a TLS socket stays as it is.
 */
export function keepIssuer(socket: unknown): void {
  if (!(socket instanceof TLSSocket)) return;
  const destroy = socket.destroy.bind(socket);
  // An answer that is given up destroys its socket with null, whatever the types say.
  socket.destroy = (error?: NodeJS.ErrnoException | null) => {
    if (error !== undefined && error !== null && isCertificateCode(error.code))
      Object.assign(error, { issuer: issuerOf(socket.getPeerCertificate(true)) });
    return destroy(error ?? undefined);
  };
}

type ShownCertificate = Omit<DetailedPeerCertificate, 'issuerCertificate'> & {
  readonly issuerCertificate?: DetailedPeerCertificate;
};

/** The issuer at the end of the chain that the server shows: the one to be trusted. */
export function issuerOf({ issuer, issuerCertificate: above, fingerprint256 }: ShownCertificate): string {
  // A server may leave out the certificates above its own; the last one is its own issuer.
  if (above !== undefined && above.fingerprint256 !== fingerprint256) return issuerOf(above);
  return [issuer.CN, issuer.O].filter(Boolean).join(', ');
}
