import { isLoopback } from '../../../../api/account/check-account';
import { ConfigurationError } from '../../../../api/errors';

/** How to reach a mail server. */
interface SmtpAddress {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
  /** STARTTLS is required, because a password must never leave this machine unencrypted. */
  readonly requireTLS: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

const SMTPS_PORT = 465;
const SUBMISSION_PORT = 587;
const PLAIN_PORT = 25;

/**
 * Reads `smtps://user:password@host` or `smtp://…`. `smtp` uses STARTTLS if the server offers it, and requires it if
 * there is a password. Default ports: 465, 587 with a password, 25 without. Throws `Configuration`, which names the
 * secret but shows nothing of it.
 */
export function smtpAddress(secret: unknown, name: string): SmtpAddress {
  const text = typeof secret === 'string' ? secret.trim() : '';
  if (!/^smtps?:\/\/[^/\s]+\/?$/i.test(text) || !URL.canParse(text)) {
    throw new ConfigurationError(
      'smtpSecret',
      `the secret named "${name}" is not an address of a mail server`,
      'Write smtps://user:password@host, or smtp://host:25. In user and password, write "@", ":" and "/" as %40, %3A and %2F.',
    );
  }
  const { protocol, hostname, port, username, password } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol.toLowerCase() === 'smtps:';
  const named = username !== '';
  const usual = secure ? SMTPS_PORT : named ? SUBMISSION_PORT : PLAIN_PORT;
  return {
    host,
    port: port === '' ? usual : Number(port),
    secure,
    requireTLS: !secure && named && !isLoopback(hostname.toLowerCase()),
    ...(named ? { auth: { user: decoded(username, name), pass: decoded(password, name) } } : {}),
  };
}

function decoded(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigurationError(
      'smtpSecret',
      `the secret named "${name}" has a lone "%" in its user or password`,
      'Write it as %25.',
    );
  }
}
