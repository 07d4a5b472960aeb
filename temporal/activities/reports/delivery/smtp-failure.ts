import { redact } from '../../../../api/answers/redact';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../../api/errors';

export interface MailAttempt {
  readonly server: string;
  readonly smtpSecret: string;
  readonly from: string;
  readonly to: string;
}

const LOGIN_CODES: ReadonlySet<string> = new Set(['EAUTH', 'ENOAUTH', 'EOAUTH2']);

/** The mail server's error in words: who caused it, what to do, and whether the same mail can be sent again. */
export function errorOfSmtp(error: unknown, attempt: MailAttempt): MediaServiceError {
  const { code, responseCode, command, response } = factsOf(error);
  const { server, smtpSecret, from, to } = attempt;
  const says = { operation: 'mail', ...(response === undefined ? {} : { serviceMessage: response }) };
  // 4xx is a temporary error, for example greylisting.
  if (responseCode !== undefined && responseCode >= 400 && responseCode < 500) {
    return new MediaServiceError(
      'ServiceFailed',
      `the mail server ${server} is not ready (${responseCode})`,
      {
        ...says,
        outcome: 'refused',
        hint: 'It is tried again; if it continues, ask who runs the mail server.',
      },
    );
  }
  if (LOGIN_CODES.has(code)) {
    return new ConfigurationError(
      'smtpSecret',
      `the mail server ${server} refuses the login`,
      `Check user and password in the secret named "${smtpSecret}".`,
    );
  }
  if (code === 'EENVELOPE' && responseCode !== undefined) {
    const whose = command === 'MAIL FROM' ? `the sender ${from}` : `the recipient ${to}`;
    return new MediaServiceError(
      'RequestRefused',
      `the mail server ${server} refuses ${whose} (${responseCode})`,
      {
        ...says,
        outcome: 'refused',
        hint: 'Check the address, and whether this server may send for it: delete the schedule and create it with the right one.',
      },
    );
  }
  if (responseCode !== undefined && responseCode >= 500) {
    return new MediaServiceError(
      'RequestRefused',
      `the mail server ${server} refuses the mail (${responseCode})`,
      {
        ...says,
        outcome: 'refused',
        hint: 'Ask who runs the mail server; its log says more.',
      },
    );
  }
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
