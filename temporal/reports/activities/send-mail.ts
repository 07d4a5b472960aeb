import type { Options, SMTPError } from 'nodemailer/lib/smtp-connection';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../api/errors';
import { given } from '../../../api/json';
import type { NamedSecrets } from '../../../api/upload/sources/http/secret-headers';
import type { ReportMail } from '../../../reports/mail/report-mail';
import type { MailSettings } from '../types';
import { isLoopback } from '../../../api/account';
import { redact } from '../../../api/answers/redact';

const CONNECT_MS = 15_000;
const ANSWER_MS = 60_000;

interface MailOut {
  readonly settings: MailSettings;
  readonly to: string;
  readonly mail: ReportMail;
  /** First part of the Message-ID: the same for the same mail. */
  readonly name: string;
}

/**
 * Sends one mail to one address. Resolves with its Message-ID after the server has accepted it. Rejects with
 * `Configuration` (secret, login), `RequestRefused` (sender, recipient, content) or a retryable error. Loads the mail
 * library with the first mail.
 */
export async function sendMail(
  secrets: NamedSecrets,
  { settings, to, mail, name }: MailOut,
): Promise<string> {
  const { smtpSecret, from } = settings;
  const address = smtpAddress(await secrets.read(smtpSecret), smtpSecret);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...address,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const messageId = `<${name}@${from.slice(from.lastIndexOf('@') + 1).replace(/[^\w.-]/g, '')}>`;
  try {
    await transport.sendMail({
      from,
      to,
      messageId,
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      attachments: mail.attachments.map(({ fileName, contentType, content }) => ({
        filename: fileName,
        contentType,
        content,
      })),
      // Prevents automatic replies, such as vacation notices.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return messageId;
  } catch (error) {
    throw errorOfSmtp(error, { server: `${address.host}:${address.port}`, smtpSecret, from, to });
  } finally {
    transport.close();
  }
}

/** How to reach a mail server. */
type SmtpAddress = Required<Pick<Options, 'host' | 'port' | 'secure' | 'requireTLS'>> & {
  readonly auth?: { readonly user: string; readonly pass: string };
};

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
  const url = /^smtps?:\/\/[^/\s]+\/?$/i.test(text) ? URL.parse(text) : null;
  const [user, pass] = [url?.username, url?.password].map(decoded);
  if (url === null || user === undefined || pass === undefined) {
    throw new ConfigurationError(
      'smtpSecret',
      `the secret named "${name}" is not an address of a mail server`,
      'Write smtps://user:password@host, or smtp://host:25. In user and password, write "@", ":", "/" and "%" as %40, %3A, %2F and %25.',
    );
  }
  const { protocol, hostname, port } = url;
  const secure = protocol.toLowerCase() === 'smtps:';
  const named = user !== '';
  const usual = secure ? SMTPS_PORT : named ? SUBMISSION_PORT : PLAIN_PORT;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? usual : Number(port),
    secure,
    // A password must never leave this machine unencrypted.
    requireTLS: !secure && named && !isLoopback(hostname.toLowerCase()),
    ...(named ? { auth: { user, pass } } : {}),
  };
}

/** Undefined if a "%" begins no character. */
function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

interface MailAttempt {
  readonly server: string;
  readonly smtpSecret: string;
  readonly from: string;
  readonly to: string;
}

const LOGIN_CODES: ReadonlySet<string> = new Set(['EAUTH', 'ENOAUTH', 'EOAUTH2']);

/** The mail server's error in words: who caused it, what to do, and whether the same mail can be sent again. */
export function errorOfSmtp(
  error: unknown,
  { server, smtpSecret, from, to }: MailAttempt,
): MediaServiceError {
  const { code = '', responseCode = 0, command = '', response, message: text } = error as SMTPError;
  const serviceMessage = response === undefined ? undefined : redact(response).slice(0, 500);
  const facts = { operation: 'mail', outcome: 'refused', ...given({ serviceMessage }) } as const;
  // 4xx is a temporary error, for example greylisting.
  if (responseCode >= 400 && responseCode < 500) {
    const hint = 'The mail is retried. If this continues, ask the operator of the mail server.';
    const message = `the mail server ${server} is not ready (${responseCode})`;
    return new MediaServiceError('ServiceFailed', message, { ...facts, hint });
  }
  if (LOGIN_CODES.has(code)) {
    return new ConfigurationError(
      'smtpSecret',
      `the mail server ${server} refuses the login`,
      `Check user and password in the secret named "${smtpSecret}".`,
    );
  }
  if (responseCode >= 500) {
    const of: Readonly<Record<string, string>> = {
      'MAIL FROM': `sender ${from}`,
      'RCPT TO': `recipient ${to}`,
    };
    const message = `the mail server ${server} refuses the ${of[command] ?? 'mail'} (${responseCode})`;
    const hint =
      'Check the addresses in the targets of the schedule, and whether this server may send for them; its log says more.';
    return new MediaServiceError('RequestRefused', message, { ...facts, hint });
  }
  const said = redact(text).slice(0, 200);
  return new TransportError(`the mail server ${server}: ${said}`, {
    operation: 'mail',
    outcome: command === 'DATA' ? 'ambiguous' : 'unsent',
    hint: `Check host, port and TLS in the secret named "${smtpSecret}", and the network between.`,
    details: code === '' ? {} : { code },
  });
}
