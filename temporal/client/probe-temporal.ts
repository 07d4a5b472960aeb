import { adviceOf, type Advice } from '../../api/advice';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
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
export interface ProbeProblem extends Advice {
  readonly says: string;
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused, nothing listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: "the host name can't be looked up for now",
  EHOSTUNREACH: 'the network has no route to that host',
  ENETUNREACH: 'the network has no route to that host',
  ETIMEDOUT: "the host doesn't answer",
};
const NO_TLS: ProbeProblem = {
  says: "it doesn't speak TLS",
  remedy: { kind: 'turn-temporal-tls', on: false },
};
const NEEDS_TLS: ProbeProblem = {
  says: 'it expects TLS',
  remedy: { kind: 'turn-temporal-tls', on: true },
};
const OTHER_PROTOCOL: ProbeProblem = {
  says: "what answers there isn't Temporal",
  hint: "Check the port: Temporal's own is 7233, and 8233 is its web page.",
};
/** It may be another server, or a Temporal server that is too busy. */
const SILENT: ProbeProblem = {
  says: "it accepts the connection, but doesn't answer",
  hint: "Check the port: Temporal's own is 7233. A Temporal server that is too busy answers late: try again then.",
};
const NO_CONNECTION: ProbeProblem = { says: "the host doesn't answer" };

/**
 * Finds out why a Temporal server can't be reached, from its first bytes. Undefined: it speaks the right protocol
 * (HTTP/2). Never rejects. Waits for a silent server until `signal` aborts.
 */
export async function probeTemporal(probed: Probed, signal: AbortSignal): Promise<ProbeProblem | undefined> {
  try {
    const problem = await greet(probed, await tunnelOf(probed), signal);
    if (problem !== OTHER_PROTOCOL || probed.tls !== false) return problem;
    return (await speaksTls(probed.address, await tunnelOf(probed), signal)) ? NEEDS_TLS : problem;
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    return { says: error.message, ...adviceOf(error.facts) };
  }
}

/** Undefined: the server is reached directly. Rejects with an error that names the proxy. */
async function tunnelOf({ address, proxy }: Probed): Promise<Socket | undefined> {
  return proxy === undefined ? undefined : openTunnel(address, { proxy, timeoutMs: TUNNEL_MS });
}

const TUNNEL_MS = 5_000;

/** The first bytes of a client of HTTP/2 (RFC 9113): its preface and an empty SETTINGS frame. */
const GREETING = Buffer.from(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0`, 'latin1');
/** Where the type of a frame is, and that of the server's first frame. */
const [TYPE_AT, SETTINGS] = [3, 4];

function greet(
  { address, tls, roots }: Probed,
  tunnel: Socket | undefined,
  signal: AbortSignal,
): Promise<ProbeProblem | undefined> {
  return new Promise((done) => {
    let isConnected = false;
    const at = hostAndPortOf(address);
    // A certificate that is not accepted is looked at before the connection ends.
    const options = {
      ...tlsTo(at, tunnel),
      ...(roots === undefined ? {} : { ca: roots }),
      rejectUnauthorized: false,
    };
    const socket = tls === false ? (tunnel ?? connectTcp(at)) : connectTls({ ...options, ...tls });
    const end = (problem?: ProbeProblem): void => {
      done(problem);
      socket.destroy();
    };
    const begin = (): void => {
      isConnected = true;
      const refused = tls === false ? undefined : refusedCertificate(socket as TLSSocket, tls);
      if (refused !== undefined) return end(refused);
      socket.write(GREETING);
    };
    if (tls === false && tunnel !== undefined) begin();
    else socket.once(tls === false ? 'connect' : 'secureConnect', begin);
    socket.once('data', (bytes: Buffer) => end(bytes[TYPE_AT] === SETTINGS ? undefined : OTHER_PROTOCOL));
    socket.on('error', (error: NodeJS.ErrnoException) => end(problemOf(error.code ?? '', tls)));
    socket.once('close', () => done(OTHER_PROTOCOL));
    const giveUp = (): void => end(isConnected ? SILENT : NO_CONNECTION);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

function problemOf(code: string, tls: Probed['tls']): ProbeProblem {
  const says = NETWORK[code];
  if (says !== undefined) return { says };
  if (tls === false) return OTHER_PROTOCOL;
  if (code === 'EPROTO' || /WRONG_VERSION_NUMBER|PACKET_LENGTH/.test(code)) return NO_TLS;
  if (/NO_APPLICATION_PROTOCOL/.test(code)) return OTHER_PROTOCOL;
  if (ALERT.test(code)) return refusedHandshake(code, tls);
  return OTHER_PROTOCOL;
}

/** Undefined: the certificate is accepted. */
function refusedCertificate(socket: TLSSocket, tls: Exclude<Probed['tls'], false>): ProbeProblem | undefined {
  if (socket.authorized) return undefined;
  const code = String(socket.authorizationError);
  if (/EXPIRED|NOT_YET_VALID|REVOKED/.test(code))
    return {
      says: `its TLS certificate isn't valid now (${code})`,
      hint: 'Check the clock of this machine, else ask the operator of the server for a valid certificate.',
    };
  const what = /ALTNAME/.test(code) ? 'serverName' : tls.ca === undefined ? 'authority' : 'otherAuthority';
  return {
    says: `its TLS certificate, issued by ${issuerOf(socket.getPeerCertificate(true))}, isn't accepted (${code})`,
    remedy: { kind: 'set-temporal-tls', what },
  };
}

/** How Node's codes call an alert. It has no "ALERT" in the code of an unknown server name. */
const ALERT = /ALERT|UNRECOGNIZED_NAME/;
/** Alerts for a client certificate that is missing or not accepted. */
const CLIENT_CERTIFICATE = /CERT|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE|DECRYPT/;

/** The server ended the handshake. */
function refusedHandshake(code: string, { cert }: { readonly cert?: string }): ProbeProblem {
  if (!CLIENT_CERTIFICATE.test(code)) return { says: `it ended the TLS handshake (${code})` };
  return cert === undefined
    ? {
        says: /CERTIFICATE_REQUIRED/.test(code)
          ? 'it asks for a client certificate'
          : `it ended the TLS handshake (${code})`,
        remedy: { kind: 'set-temporal-tls', what: 'clientCertificate' },
      }
    : {
        says: `it doesn't accept the client certificate (${code})`,
        remedy: { kind: 'set-temporal-tls', what: 'otherCertificate' },
      };
}

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Names the host, as clients of HTTP/2 do: a server with several certificates chooses by it. An address is no name. */
function tlsTo(at: HostAndPort, tunnel: Socket | undefined): ConnectionOptions {
  return {
    ...at,
    ...(isIP(at.host) === 0 ? { servername: at.host } : {}),
    ALPNProtocols: ['h2'],
    ...(tunnel === undefined ? {} : { socket: tunnel }),
  };
}

function hostAndPortOf(address: string): HostAndPort {
  const { hostname, port } = new URL(`http://${address}`);
  // A URL leaves out port 80.
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 80 : port) };
}

/**
 * Whether the server begins a TLS handshake. Does not check its certificate, and sends nothing over the connection.
 */
function speaksTls(address: string, tunnel: Socket | undefined, signal: AbortSignal): Promise<boolean> {
  return new Promise((done) => {
    const socket = connectTls({ ...tlsTo(hostAndPortOf(address), tunnel), rejectUnauthorized: false });
    const end = (answer: boolean): void => {
      done(answer);
      socket.destroy();
    };
    socket.once('secureConnect', () => end(true));
    // A server that asks for a client certificate ends the handshake with an alert, which also shows TLS.
    socket.on('error', (error: NodeJS.ErrnoException) => end(ALERT.test(error.code ?? '')));
    socket.once('close', () => done(false));
    if (signal.aborted) end(false);
    signal.addEventListener('abort', () => end(false), { once: true });
  });
}
