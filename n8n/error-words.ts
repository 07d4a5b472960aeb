import { TYPESCRIPT_NAMES, whatToDo } from '../api/advice';
import { MediaServiceError } from '../api/errors';
import { redact } from '../api/answers/redact';
import { CREDENTIAL_LABELS, fieldLabel } from './form-fields';
import type { DoorNames } from '../api/advice';

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
  const setting =
    CREDENTIAL_LABELS[isWrongBaseUrl(error) ? 'baseUrl' : error.code === 'Configuration' ? field : ''];
  // An error about a source already says which source it means.
  const label = setting ?? (/^(source(\..*)?)?$/.test(field) ? undefined : `"${fieldLabel(field)}"`);
  const where =
    setting === undefined ? undefined : `It is the field "${setting}" of the credential "Media Service API".`;
  const todo = whatToDo(N8N_NAMES, { hint: error.facts.hint, code: error.code });
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

/** The names in n8n: those of fields as in forms; environment variables are left to the administrator. */
export const N8N_NAMES: DoorNames = {
  ...TYPESCRIPT_NAMES,
  allowPlainHttp: 'turn on Advanced Settings > Allow Plain HTTP',
  certificates: 'ask your administrator to set NODE_EXTRA_CA_CERTS of n8n',
  secrets: setting('MEDIA_SERVICE_SECRETS'),
  all: 'turn on Return All',
  deliveryFields: 'The option "Media Field", "Sub-Account Field", "Time Field" or "ID Field" can name it.',
  fileRoots: setting('MEDIA_SERVICE_FILE_ROOTS'),
  outputRoots: setting('MEDIA_SERVICE_OUTPUT_ROOTS'),
  sourceHosts: setting('MEDIA_SERVICE_SOURCE_HOSTS'),
  spoolDir: setting('MEDIA_SERVICE_SPOOL_DIR'),
  s3Buckets: setting('MEDIA_SERVICE_S3_BUCKETS'),
  s3Endpoint: setting('MEDIA_SERVICE_S3_ENDPOINT'),
  sourceSecret: 'Batch > Start ("Source Headers Secret")',
  acceptAnyContent: 'turn on the option "Accept Any Content"',
  turnOffChecksums: 'turn off the option "Verify Checksums"',
  again: 'turn on the option "Force New Upload"',
  nameFormat: '',
  fileType: 'Media Fields > File Type',
  maxParts: 'the setting "Max Parts" of the credential "Media Service API"',
  concurrency: 'the number of parts at once',
  partContentType: setting('partContentType in MEDIA_SERVICE_OPTIONS'),
  additionalUrls: '"Additional URLs Request" of the credential "Media Service API"',
  previousSecretKeys: setting('MEDIA_SERVICE_PREVIOUS_SECRET_KEYS'),
  waitForSession: 'Upload > Wait',
  ingestKey: '"Ingest Key"',
  batchId: '"Batch ID"',
  uploadEnd: () => 'Upload > Get',
  batchEnd: () => 'Batch > Get',
  uploadList: 'Upload > Get Many',
  batchList: 'Batch > Get Many',
  option: fieldLabel,
  startWorker: 'Start a worker: `media-service worker`',
  checkTemporal: 'Ask your administrator to check that the worker reaches Temporal',
};

/** A variable of the worker. */
function setting(name: string): string {
  return `${name} of the worker (ask your administrator)`;
}
