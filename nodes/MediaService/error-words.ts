import { MediaServiceError } from '../../api/errors';
import { redact } from '../../api/answers/redact';
import { credentialLabel } from './access/credential-account';
import { namedAsInForm, optionsAsInForm } from './form-names';

export interface ErrorWords {
  /** What happened. */
  readonly message: string;
  /** What to do about it. */
  readonly description?: string;
}

/** An error as a user of n8n should read it: fields under the names that n8n shows, nothing secret. */
export function describeError(error: unknown): ErrorWords {
  const { message, description } = wordsOf(error);
  return {
    message: settingsAsInForm(message),
    ...(description === undefined ? {} : { description: settingsAsInForm(description) }),
  };
}

function settingsAsInForm(text: string): string {
  return optionsAsInForm(text)
    .replace(/ \(TEMPORAL_TLS=false\)|: TEMPORAL_TLS=false/, ' (Authentication "None", without "Use TLS")')
    .replace(': TEMPORAL_TLS=true', ' ("Use TLS")')
    .replace('TEMPORAL_TLS_SERVER_CA_CERT_PATH', '"Server CA Certificate"')
    .replace('; for a local server run `npm run temporal` or `temporal server start-dev`', '')
    .replace('pass --shared-path (in n8n: leave the host field empty)', 'leave "Worker Host" empty')
    .replace(
      /media-service uploads session \S+ (?:--wait )?\((?:in )?n8n: (Upload > \w+, by [uU]pload ID)\)/,
      '$1',
    )
    .replace('--again (n8n: the option "Force New Upload")', 'switch on the option "Force New Upload"')
    .replace(
      'as the file type (--file-type; in n8n: Media Fields > File Type)',
      'in Media Fields > File Type',
    )
    .replace('(media-service batch watch)', '(Batch > Wait)')
    .replace('leave the limit out', 'turn on Return All')
    .replace(
      'For more records than one page holds, read page after page.',
      'To get more, turn on Return All.',
    )
    .replace(/\b(give this one) another id\b/i, '$1 another "Batch ID"')
    .replace(' `media-service batch check` names them all.', '')
    .replace('allow plain http explicitly (allowPlainHttp)', 'switch on Advanced Settings > Allow Plain HTTP')
    .replace(
      /setting maxParts( \(in n8n: [^)]*\))?/,
      'setting "Max Parts" of the credential "Media Service API"',
    );
}

function wordsOf(error: unknown): ErrorWords {
  if (!(error instanceof MediaServiceError)) {
    return { message: redact(messageOf(error)) };
  }
  const { field, hint } = error.facts;
  const label = error.code === 'Configuration' && field !== undefined ? credentialLabel(field) : undefined;
  if (field === undefined || label === undefined) {
    const named = (text: string): string => (field === undefined ? text : namedAsInForm(text, field));
    return { message: named(error.message), ...(hint === undefined ? {} : { description: named(hint) }) };
  }
  const where = `It is the field "${label}" of the credential "Media Service API".`;
  return {
    message: error.message.replace(field, label),
    description:
      hint === undefined ? where : `${hint.replace(`Set ${field} of the account.`, 'Fill it in.')} ${where}`,
  };
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}

/** Both as one text, for places that show one only. Without network codes, in place of which n8n puts general phrases. */
export function sentenceOf({ message, description }: ErrorWords): string {
  const first = message.replace(/ \((E[A-Z_]{3,})\)/g, '').replace(/\.$/, '');
  return description === undefined ? first : `${first}. ${description}`;
}
