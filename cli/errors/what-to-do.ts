import { given } from '../../api/json';
import { shownAdvice, whatToDo, TYPESCRIPT_NAMES } from '../../api/advice';
import type { DoorNames } from '../../api/advice';
import { MediaServiceError } from '../../api/errors';
import { redact } from '../../api/answers/redact';
import type { WaitReason } from '../../temporal/client/wait-reason';
import { HOUR_MS, MINUTE_MS } from '../../api/clock';
import { VARIABLES } from '../../settings/variables';

/** An error as stored in results, lists and Temporal. */
interface KeptError {
  readonly hint?: string | undefined;
  readonly code: string;
  readonly message: string;
}

/** Returns what happened, with flags as names of fields. */
export function messageOf({ message, facts: { field = '', problem } }: MediaServiceError): string {
  const flag = flagOf(field);
  return flag === undefined || problem === undefined ? message : `${flag} ${problem}`;
}

/** Returns what to do about an error, in the words of the command line. */
export function whatToDoAbout(error: unknown): string | undefined {
  if (!(error instanceof MediaServiceError)) return undefined;
  const { code, facts } = error;
  return whatToDo(CLI_NAMES, { hint: facts.hint, code }) ?? (code === 'Internal' ? UNEXPECTED : undefined);
}

const UNEXPECTED =
  'This error was not expected. Run the command again with --debug and report what it shows.';

/**
 * Returns the text of an advice, in the words of the command line. A reason to wait needs no more, because it is
 * retried automatically.
 */
export function adviceText(advice: { readonly hint?: string } | undefined): string | undefined {
  return advice === undefined ? undefined : whatToDo(CLI_NAMES, { hint: advice.hint });
}

/** Returns a stored error for JSON output. */
export function shownError<T extends KeptError>(error: T): T {
  return { ...error, ...given({ hint: whatToDo(CLI_NAMES, error) }) };
}

/** Returns a reason to wait, a mistake or a warning for JSON output. */
export function shown<T extends { readonly hint?: string | undefined } | undefined>(advised: T): T {
  return shownAdvice(CLI_NAMES, advised);
}

/**
 * Returns why an upload, a batch or a report waits, and what to do, one line each; empty if it doesn't wait.
 * `stepRetryMs`: how long its steps are retried, if known.
 */
export function waitReasonLines(waitReason: WaitReason | undefined, stepRetryMs?: number): string[] {
  if (waitReason === undefined) return [];
  const { code, message, retryForMs = stepRetryMs } = waitReason;
  const hint = adviceText(waitReason);
  const retrying = retryForMs === undefined ? 'Retrying' : `Retrying for up to ${limitText(retryForMs)}`;
  return [
    `${code === 'NoWorker' ? 'Waiting' : retrying}: ${redact(message)}`,
    ...(hint === undefined ? [] : [`What to do: ${redact(hint)}`]),
  ];
}

/** `24 h`, `1 min`. */
function limitText(ms: number): string {
  return ms < HOUR_MS ? `${Math.ceil(ms / MINUTE_MS)} min` : `${Math.ceil(ms / HOUR_MS)} h`;
}

/** The names for readers at the command line: flags, commands and environment variables. */
export const CLI_NAMES: DoorNames = {
  ...TYPESCRIPT_NAMES,
  ingestTag: 'ingestTag in MEDIA_SERVICE_OPTIONS',
  accounts: VARIABLES.accounts.name,
  allowPlainHttp: `set allowPlainHttp in ${VARIABLES.options.name}`,
  certificates: 'name its certificate in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE',
  secrets: `${VARIABLES.secrets.name} of the worker`,
  all: 'use --limit or --all',
  deliveryFields: "n8n's node can name it.",
  fileRoots: VARIABLES.fileRoots.name,
  outputRoots: `${VARIABLES.outputRoots.name} of the worker`,
  sourceHosts: `${VARIABLES.sourceHosts.name} of the worker`,
  spoolDir: VARIABLES.spoolDir.name,
  s3Buckets: `${VARIABLES.s3Buckets.name} of the worker`,
  s3Endpoint: VARIABLES.s3Endpoint.name,
  sourceSecret: '--source-secret NAME',
  acceptAnyContent: 'use --accept-any-content',
  turnOffChecksums: 'use --no-verify',
  again: 'use --again',
  nameFormat: ', or give --format csv or --format jsonl',
  fileType: '--file-type',
  maxParts: `maxParts in ${VARIABLES.options.name}`,
  concurrency: '--concurrency',
  partContentType: `partContentType in ${VARIABLES.options.name}`,
  additionalUrls: VARIABLES.additionalUrls.name,
  previousSecretKeys: `${VARIABLES.previousSecretKeys.name} of the workers (previousSecretKeys in an accounts file)`,
  waitForSession: '`media-service uploads show --session`',
  ingestKey: '--id',
  batchId: '--id',
  uploadEnd: (id) => `\`media-service uploads show ${id}\``,
  batchEnd: (id) => `\`media-service batches show ${id}\``,
  uploadList: '`media-service uploads list`',
  batchList: '`media-service batches list`',
  temporalTls:
    'TEMPORAL_TLS_SERVER_CA_CERT_PATH (NODE_EXTRA_CA_CERTS and SSL_CERT_FILE count as well), TEMPORAL_TLS_SERVER_NAME, and TEMPORAL_TLS_CLIENT_CERT_PATH with its key',
  noTls: 'TEMPORAL_TLS=false',
  startWorker: 'Run `media-service worker`',
  checkTemporal: 'Run `media-service doctor` to see what answers at its address',
};

/** Fields that errors name as in TypeScript, and that a flag of the same name sets. */
const FLAGS: ReadonlySet<string> = new Set(
  'at cron from id limit mailFrom smtpSecret sort timezone target to webhookSecret'.split(' '),
);

/** Returns undefined if no flag sets the field. A field of the command line is already a flag. */
export function flagOf(field: string): string | undefined {
  if (field.startsWith('--')) return field;
  return FLAGS.has(field)
    ? `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    : undefined;
}
