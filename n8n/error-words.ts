import { whatToDo } from '../api/advice';
import { MediaServiceError } from '../api/errors';
import { redact } from '../api/answers/redact';
import { credentialLabel, fieldLabel } from './form-fields';
import { N8N_WORDS } from './n8n-words';

interface ErrorWords {
  /** What happened. */
  readonly message: string;
  /** What to do about it. */
  readonly description?: string;
}

/** An error in the form for users of n8n: with the field names that n8n shows, and without secrets. */
export function describeError(error: unknown): ErrorWords {
  if (!(error instanceof MediaServiceError)) return { message: redact(messageOf(error)) };
  const { field = '', problem } = error.facts;
  const setting = credentialLabel(
    isWrongBaseUrl(error) ? 'baseUrl' : error.code === 'Configuration' ? field : '',
  );
  // An error about a source already says which source it means.
  const label = setting ?? (field.startsWith('source') ? undefined : quoted(fieldLabel(field)));
  const where =
    setting === undefined ? undefined : `It is the field "${setting}" of the credential "Media Service API".`;
  const todo = whatToDo(N8N_WORDS, { hint: error.facts.hint, code: error.code });
  const texts = [todo, where].filter((text) => text !== undefined);
  return {
    message: label === undefined || problem === undefined ? error.message : `${label} ${problem}`,
    ...(texts.length === 0 ? {} : { description: texts.join(' ') }),
  };
}

/** A login without an answer, or with one that is not of the service. */
function isWrongBaseUrl({ code, facts: { operation, status = 0 } }: MediaServiceError): boolean {
  const isElsewhere = code === 'Transport' || code === 'UnreadableAnswer' || (status >= 300 && status < 400);
  return operation === 'login' && (isElsewhere || status === 404);
}

function quoted(label: string | undefined): string | undefined {
  return label === undefined ? undefined : `"${label}"`;
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}

/** Codes of TLS, and those that n8n looks for in a text: it then shows a general phrase instead. */
const CODES_IN_BRACKETS =
  / \((ERR_\w+|ECONN\w+|ENOTFOUND|ETIMEDOUT|EADDR\w+|EHOSTUNREACH|EAI_AGAIN|ENOENT|EISDIR|ENOTDIR|EACCES|EEXIST|EPERM)\)/g;

/** Describes an error in one text, for fields that show only one. Leaves out the codes of networks and files. */
export function sentenceOf(error: unknown): string {
  const { message, description } = describeError(error);
  const first = message.replace(CODES_IN_BRACKETS, '').replace(/\.$/, '');
  return description === undefined ? first : `${first}. ${description}`;
}
