import { given } from '../../api/json';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { MediaServiceError } from '../../api/errors';
import { issuerOf } from '../../api/transport/certificate-issuer';
import type { Proxy } from '../../api/transport/proxies';
import { openTunnel } from '../../api/transport/tunnel';

/** How to reach the server, see `TemporalAddress`. `tls`: false, or PEM texts. */
export interface Probed {
  /** host:port. */
  readonly address: string;
  readonly tls:
    | false
    | { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly servername?: string };
  /** Trusted unless `tls` has a `ca`. */
  readonly roots?: string;
  /** The way to the server. */
  readonly proxy?: Proxy;
}

/** Why a server doesn't answer. `says` ends the sentence "No Temporal server answers at …: …". */
export interface ProbeProblem {
  readonly says: string;
  readonly hint?: string;
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused, nothing listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: "the host name can't be looked up for now",
  EHOSTUNREACH: 'the network has no route to that host',
  ENETUNREACH: 'the network has no route to that host',
  ETIMEDOUT: "the host doesn't answer",
};
const OTHER_PROTOCOL = "what answers there isn't Temporal";
const CHECK_TLS =
  'Check the authority of its certificate, the name in it, and your own certificate, if it asks for one: {temporalTls}.';
const TUNNEL_MS = 5_000;

/** The first bytes of a client of HTTP/2 (RFC 9113): its preface and an empty SETTINGS frame. */
const GREETING = Buffer.from(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0`, 'latin1');
/** Where the type of a frame is, and that of the server's first frame. */
const [TYPE_AT, SETTINGS] = [3, 4];

/**
 * Finds out why a Temporal server can't be reached, from its first bytes. Undefined: it speaks the right protocol
 * (HTTP/2). Never rejects. Waits for a silent server until `signal` aborts.
 */
export async function probeTemporal(probed: Probed, signal: AbortSignal): Promise<ProbeProblem | undefined> {
  const { address, proxy } = probed;
  try {
    const tunnel =
      proxy === undefined ? undefined : await openTunnel(address, { proxy, timeoutMs: TUNNEL_MS });
    return await greet(probed, tunnel, signal);
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    return { says: error.message, ...given({ hint: error.facts.hint }) };
  }
}

function greet(
  probed: Probed,
  tunnel: Socket | undefined,
  signal: AbortSignal,
): Promise<ProbeProblem | undefined> {
  const { tls } = probed;
  return new Promise((done) => {
    const socket = socketTo(probed, tunnel);
    const end = (problem?: ProbeProblem): void => {
      done(problem);
      socket.destroy();
    };
    const begin = (): void => {
      const refused = socket instanceof TLSSocket ? refusedCertificate(socket) : undefined;
      if (refused === undefined) socket.write(GREETING);
      else end(refused);
    };
    if (tls === false && tunnel !== undefined) begin();
    else socket.once(tls === false ? 'connect' : 'secureConnect', begin);
    socket.once('data', (bytes) => end(bytes[TYPE_AT] === SETTINGS ? undefined : { says: OTHER_PROTOCOL }));
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => end(problemOf(code, tls !== false)));
    socket.once('close', () => done({ says: OTHER_PROTOCOL }));
    const giveUp = (): void =>
      end({
        says: socket.connecting ? "the host doesn't answer" : "it accepts the connection, but doesn't answer",
      });
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** A certificate that is not accepted is looked at before the connection ends. */
function socketTo({ address, tls, roots }: Probed, tunnel: Socket | undefined): Socket {
  const { hostname, port } = new URL(`http://${address}`);
  // A URL leaves out port 80.
  const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 80 : port) };
  if (tls === false) return tunnel ?? connectTcp(at);
  return connectTls({
    ...at,
    // A server with several certificates chooses by it. An address is no name.
    ...(isIP(at.host) === 0 ? { servername: at.host } : {}),
    ...(tunnel === undefined ? {} : { socket: tunnel }),
    ...(roots === undefined ? {} : { ca: roots }),
    ...tls,
    ALPNProtocols: ['h2'],
    rejectUnauthorized: false,
  });
}

/** Undefined: the certificate is accepted. */
function refusedCertificate(socket: TLSSocket): ProbeProblem | undefined {
  if (socket.authorized) return undefined;
  const issuer = issuerOf(socket.getPeerCertificate(true));
  return {
    says: `its TLS certificate, issued by ${issuer}, isn't accepted (${String(socket.authorizationError)})`,
    hint: CHECK_TLS,
  };
}

/** How Node's codes call what a server says when it ends a handshake, for example without a client certificate. */
const ALERT = /ALERT(?!_NO_APPLICATION_PROTOCOL)|UNRECOGNIZED_NAME/;

function problemOf(code: string, encrypted: boolean): ProbeProblem {
  const says = NETWORK[code] ?? (encrypted ? `the TLS handshake fails (${code})` : OTHER_PROTOCOL);
  return { says, ...(ALERT.test(code) ? { hint: CHECK_TLS } : {}) };
}
