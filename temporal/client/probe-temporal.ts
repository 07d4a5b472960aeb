import type { Advice } from '../../api/advice';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';

/** How to reach the server, see `TemporalAddress`. `tls`: false, or PEM texts. */
export interface Probed {
  /** host:port. */
  readonly address: string;
  readonly tls:
    | false
    | { readonly ca?: string; readonly cert?: string; readonly key?: string; readonly servername?: string };
}

/** Why a server doesn't answer. `says` ends the sentence "No Temporal server answers at …: …". */
export interface ProbeProblem extends Advice {
  readonly says: string;
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused, nothing listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name can’t be looked up for now',
  EHOSTUNREACH: 'the network has no route to that host',
  ENETUNREACH: 'the network has no route to that host',
  ETIMEDOUT: 'the host doesn’t answer',
};
const NO_TLS: ProbeProblem = {
  says: 'it doesn’t speak TLS',
  remedy: { kind: 'switch-temporal-tls', on: false },
};
const NEEDS_TLS: ProbeProblem = {
  says: 'it expects TLS',
  remedy: { kind: 'switch-temporal-tls', on: true },
};
const OTHER_PROTOCOL: ProbeProblem = {
  says: 'what answers there isn’t Temporal',
  hint: 'Check the port: Temporal’s own is 7233, and 8233 is its web page.',
};

/**
 * Finds out why a Temporal server can't be reached, from its first bytes. Undefined: it speaks the right protocol
 * (HTTP/2). Never rejects. When `signal` aborts, returns what was found until then.
 */
export async function probeTemporal(probed: Probed, signal: AbortSignal): Promise<ProbeProblem | undefined> {
  const problem = await greet(probed, signal);
  if (problem !== OTHER_PROTOCOL || probed.tls !== false) return problem;
  return (await speaksTls(probed.address, signal)) ? NEEDS_TLS : problem;
}

function greet({ address, tls }: Probed, signal: AbortSignal): Promise<ProbeProblem | undefined> {
  return new Promise((done) => {
    let isConnected = false;
    const session = connectHttp2(
      `${tls === false ? 'http' : 'https'}://${address}`,
      tls === false ? {} : tls,
    );
    const end = (problem?: ProbeProblem): void => {
      done(problem);
      session.destroy();
    };
    session.once('connect', () => (isConnected = true));
    session.once('remoteSettings', () => end());
    session.on('error', (error: NodeJS.ErrnoException) => end(problemOf(error.code ?? '', tls !== false)));
    session.once('close', () => done(OTHER_PROTOCOL));
    const giveUp = (): void => end(isConnected ? OTHER_PROTOCOL : { says: 'the host doesn’t answer' });
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

function problemOf(code: string, isTls: boolean): ProbeProblem {
  const says = NETWORK[code];
  if (says !== undefined) return { says };
  if (!isTls) return OTHER_PROTOCOL;
  if (code === 'EPROTO' || /WRONG_VERSION_NUMBER|PACKET_LENGTH/.test(code)) return NO_TLS;
  if (/ALERT/.test(code)) {
    return {
      says: `it ended the TLS handshake (${code})`,
      hint: 'Does it ask for a client certificate, or an API key?',
    };
  }
  return /CERT|SELF_SIGNED|VERIFY/.test(code)
    ? {
        says: `its TLS certificate isn’t accepted (${code})`,
        remedy: { kind: 'name-temporal-authority' },
      }
    : OTHER_PROTOCOL;
}

/**
 * Whether the server begins a TLS handshake. Does not check its certificate, and sends nothing over the connection.
 */
function speaksTls(address: string, signal: AbortSignal): Promise<boolean> {
  const { hostname, port } = new URL(`http://${address}`);
  return new Promise((done) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connectTls({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    const end = (answer: boolean): void => {
      done(answer);
      socket.destroy();
    };
    socket.once('secureConnect', () => end(true));
    // A server that asks for a client certificate ends the handshake with an alert, which also shows TLS.
    socket.on('error', (error: NodeJS.ErrnoException) => end(/ALERT/.test(error.code ?? '')));
    socket.once('close', () => done(false));
    if (signal.aborted) end(false);
    signal.addEventListener('abort', () => end(false), { once: true });
  });
}
