import { TransportError } from '../api/errors';
import { isRecord } from '../api/json';
import { redact } from '../api/answers/redact';
import { networkCodeOf } from '../api/transport/transport';
import { transportErrorOf } from '../api/transport/undici-failure';

const NEVER_LEFT =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ERR_INVALID_URL)$|^ERR_TLS_|^UNABLE_TO_VERIFY|CERT|SELF_SIGNED/;

/**
 * Errors of a TLS handshake. Later TLS errors come from a broken record, for example while the answer is read. For
 * EPROTO, the TLS library gives its reason only as text.
 */
const NO_TLS =
  /wrong.version.number|packet.length.too.long|unsupported.protocol|handshake.failure|protocol.version/i;

/**
 * Converts the error of a request with n8n's helper to that of a transport. Leaves out the request, whose headers and
 * body contain secrets.
 */
export function failureOf(error: unknown, host: string): Error {
  if (error instanceof TransportError) return error;
  const guard = guardOf(error);
  if (guard !== undefined) return refusedByN8n(guard, host);
  const code = networkCodeOf(error);
  const unsent =
    code !== undefined &&
    (NEVER_LEFT.test(code) || syscallOf(error) === 'connect' || isWithoutTls(error, code));
  return transportErrorOf({ error: bareOf(error), begun: !unsent, host });
}

/** The error that a TLS client gets from plain http. n8n's helper keeps it only in the message. */
const PLAIN_HTTP = /wrong.version.number|packet.length.too.long/i;

function isWithoutTls(error: unknown, code: string): boolean {
  if (code !== 'EPROTO' && !code.startsWith('ERR_SSL_')) return false;
  return NO_TLS.test(code) || (error instanceof Error && NO_TLS.test(error.message));
}

/**
 * n8n's own checks (allowed domains, protection against requests to internal addresses) fail before anything is sent.
 */
function guardOf(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  // n8n's `UserError` has the name "Error".
  if (/^(UserError|NodeOperationError|Ssrf\w*)$/m.test(`${error.name}\n${error.constructor.name}`))
    return error;
  return guardOf(error.cause);
}

/** Final, because n8n would refuse the next try as well. */
function refusedByN8n(guard: Error, host: string): TransportError {
  const description = 'description' in guard ? guard.description : undefined;
  return new TransportError(`${host}: ${redact(guard.message)}`, {
    outcome: 'unsent',
    hint:
      typeof description === 'string'
        ? redact(description)
        : 'Nothing was sent: n8n itself refuses this address. Check "Allowed Domains" of the credential and the limits of n8n.',
    details: { permanent: true },
  });
}

/** The helper's error without its request, whose headers and body contain secrets. */
export function bareOf(error: unknown): unknown {
  const code = networkCodeOf(error);
  if (code === 'EPROTO' && error instanceof Error && PLAIN_HTTP.test(error.message)) {
    return { code: 'ERR_SSL_WRONG_VERSION_NUMBER' };
  }
  if (code !== undefined) return { code };
  return error instanceof Error ? new Error(redact(error.message)) : undefined;
}

function syscallOf(error: unknown): unknown {
  return isRecord(error) ? (error['syscall'] ?? syscallOf(error['cause'])) : undefined;
}
