import { redact } from '../../../../api/answers/redact';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../../api/errors';

interface MailAttempt {
  readonly server: string;
  readonly smtpSecret: string;
  readonly from: string;
  readonly to: string;
}

const LOGIN_CODES: ReadonlySet<string> = new Set(['EAUTH', 'ENOAUTH', 'EOAUTH2']);

/** The mail server's error in words: who caused it, what to do, and whether the same mail can be sent again. */
export function errorOfSmtp(error: unknown, attempt: MailAttempt): MediaServiceError {
  const facts = factsOf(error);
  const { code, responseCode = 0, command } = facts;
  const { server, smtpSecret, from, to } = attempt;
  // 4xx is a temporary error, for example greylisting.
  if (responseCode >= 400 && responseCode < 500) {
    const hint = 'The mail is retried. If this continues, ask the operator of the mail server.';
    return refusal('ServiceFailed', { what: `${server} is not ready`, hint }, facts);
  }
  if (LOGIN_CODES.has(code)) {
    return new ConfigurationError(
      'smtpSecret',
      `the mail server ${server} refuses the login`,
      `Check user and password in the secret named "${smtpSecret}".`,
    );
  }
  if (code === 'EENVELOPE' && responseCode !== 0) {
    const whose = command === 'MAIL FROM' ? `the sender ${from}` : `the recipient ${to}`;
    const hint =
      'Check the address, and whether this server may send for it. Correct it in the targets of the schedule.';
    return refusal('RequestRefused', { what: `${server} refuses ${whose}`, hint }, facts);
  }
  if (responseCode >= 500) {
    const hint = 'Ask the operator of the mail server; its log says more.';
    return refusal('RequestRefused', { what: `${server} refuses the mail`, hint }, facts);
  }
  return noAnswer(error, attempt, facts);
}

function refusal(
  code: 'ServiceFailed' | 'RequestRefused',
  { what, hint }: { readonly what: string; readonly hint: string },
  { responseCode, response }: SmtpFacts,
): MediaServiceError {
  return new MediaServiceError(code, `the mail server ${what} (${String(responseCode)})`, {
    operation: 'mail',
    ...(response === undefined ? {} : { serviceMessage: response }),
    outcome: 'refused',
    hint,
  });
}

function noAnswer(
  error: unknown,
  { server, smtpSecret }: MailAttempt,
  { code, command }: SmtpFacts,
): TransportError {
  return new TransportError(
    `the mail server ${server}: ${redact(error instanceof Error ? error.message : 'no answer').slice(0, 200)}`,
    {
      operation: 'mail',
      outcome: command === 'DATA' ? 'ambiguous' : 'unsent',
      hint: `Check host, port and TLS in the secret named "${smtpSecret}", and the network between.`,
      details: code === '' ? {} : { code },
    },
  );
}

interface SmtpFacts {
  readonly code: string;
  readonly responseCode: number | undefined;
  readonly command: string;
  /** The server's own text. */
  readonly response: string | undefined;
}

function factsOf(error: unknown): SmtpFacts {
  const field = (name: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  const [code, responseCode, command, response] = ['code', 'responseCode', 'command', 'response'].map(field);
  return {
    code: typeof code === 'string' ? code : '',
    responseCode: typeof responseCode === 'number' ? responseCode : undefined,
    command: typeof command === 'string' ? command : '',
    response: typeof response === 'string' ? redact(response).slice(0, 500) : undefined,
  };
}
