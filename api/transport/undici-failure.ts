import { TransportError } from '../errors';
import { redact } from '../answers/redact';
import { isRecord } from '../json';
import { networkCodeOf } from './transport';

interface FailedSend {
  readonly error: unknown;
  /** Whether the request may have begun to leave: it was given to an open connection. */
  readonly begun: boolean;
  /** Host and port, for the message. */
  readonly host: string;
}

/** A TLS client gets this from plain http. */
const NOT_TLS_WORDS = 'the answer is not TLS; this port seems to speak plain http';

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: "the name can't be resolved now",
  ECONNREFUSED: 'the connection was refused',
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half-way',
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS_WORDS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS_WORDS,
  UND_ERR_DESTROYED: 'the transport was closed',
  UND_ERR_CLOSED: 'the transport was closed',
};

const NOT_TLS_HINT =
  'Nothing was sent. Check scheme and port of the address: https needs a port that speaks TLS.';

const NOT_HTTP_HINT =
  'Something other than an HTTP server listens there. Check host and port of the address.';

const NOBODY_HERE_HINT =
  'Nothing was sent. Check the address, the network, the proxy and the firewall. In a container, localhost is the container itself: use the name of the other container or machine.';

export const TRUST_CERTIFICATE = 'Have the certificate corrected, or trust its issuer: {certificates}.';

const CERTIFICATE_CODE = /CERT|SIGNATURE_FAILURE|SELF_SIGNED|ALTNAME|UNABLE_TO_(VERIFY|GET_ISSUER)/;

/** Whether an error with this code means that the server's certificate was refused. */
export function isCertificateCode(code: string | undefined): code is string {
  return code !== undefined && CERTIFICATE_CODE.test(code);
}

/** The issuer that `keepIssuer` noted on an error, as part of a sentence. Empty if it noted none. */
export function issuedBy(error: unknown): string {
  const issuer: unknown = isRecord(error) ? error['issuer'] : undefined;
  return typeof issuer === 'string' && issuer !== '' ? `, issued by ${oneLine(issuer)},` : '';
}

/** Explains why a request got no answer. The outcome is `unsent` only if the request never began to leave. */
export function transportErrorOf(failed: FailedSend): TransportError {
  const { error, begun, host } = failed;
  const code = networkCodeOf(error);
  const certificate = isCertificateCode(code);
  const words = certificate
    ? `the server's certificate${issuedBy(error)} is not trusted`
    : wordsFor(code, error);
  return new TransportError(
    `${host}: ${words}${code === undefined ? '' : ` (${code})`}`,
    {
      outcome: begun ? 'ambiguous' : 'unsent',
      hint: hintFor(failed, code),
      details: {
        ...{ host, ...(code === undefined ? {} : { code }) },
        ...(certificate || isNotHttp(error) ? { permanent: true } : {}),
      },
    },
    // A parser's error contains the raw answer.
    isParserError(error) ? undefined : { cause: error },
  );
}

function isParserError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'HTTPParserError';
}

/** The answer does not begin with `HTTP/`: something else listens at this port, and will tomorrow. */
function isNotHttp(error: unknown): boolean {
  return isParserError(error) && error.message.includes('Expected HTTP/');
}

function hintFor({ error, begun, host }: FailedSend, code: string | undefined): string {
  if (isNotHttp(error)) return NOT_HTTP_HINT;
  if (code !== undefined && WORDS[code] === NOT_TLS_WORDS) return NOT_TLS_HINT;
  if (code === 'ECONNREFUSED' && /^(localhost|127\.|\[::1\])/.test(host)) return NOBODY_HERE_HINT;
  if (isCertificateCode(code)) return TRUST_CERTIFICATE;
  return begun
    ? 'The request may have arrived although no answer came back.'
    : 'Nothing was sent. Check the address, the network, the proxy and the firewall.';
}

function wordsFor(code: string | undefined, error: unknown): string {
  const known = code === undefined ? undefined : WORDS[code];
  if (known !== undefined) return known;
  if (isParserError(error)) return 'the answer is not HTTP';
  return error instanceof Error ? oneLine(error.message) : 'the request failed';
}

function oneLine(text: string): string {
  return redact(text).replace(/\s+/g, ' ').trim().slice(0, 200);
}
