import type { DoorWords } from '../../api/advice';
import { TYPESCRIPT_WORDS } from '../../api/advice';
import { VARIABLES } from '../../settings/variables';

/** What to do, for readers at the command line: flags, commands and environment variables. */
export const CLI_WORDS: DoorWords = {
  names: {
    ...TYPESCRIPT_WORDS.names,
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
    temporalTls:
      'TEMPORAL_TLS_SERVER_CA_CERT_PATH (NODE_EXTRA_CA_CERTS and SSL_CERT_FILE count as well), TEMPORAL_TLS_SERVER_NAME, and TEMPORAL_TLS_CLIENT_CERT_PATH with its key',
    noTls: 'TEMPORAL_TLS=false',
  },
  codes: {
    ...TYPESCRIPT_WORDS.codes,
    UnreadableAnswer: 'Run `media-service doctor` to see what answers at this address.',
    NoWorker: 'Run `media-service worker`.',
    TemporalUnreachable: 'Run `media-service doctor` to see what answers at its address.',
    Internal: 'This error was not expected. Run the command again with --debug and report what it shows.',
  },
};

/** Fields that errors name as in TypeScript, and that a flag of the same name sets. */
const FLAGS: ReadonlySet<string> = new Set(
  'at cron from id limit mailFrom smtpSecret timezone target to webhookSecret'.split(' '),
);

/** Returns undefined if no flag sets the field. A field of the command line is already a flag. */
export function flagOf(field: string): string | undefined {
  if (field.startsWith('--')) return field;
  return FLAGS.has(field)
    ? `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    : undefined;
}
