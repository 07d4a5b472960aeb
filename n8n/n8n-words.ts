import type { DoorWords } from '../api/advice';
import { TYPESCRIPT_WORDS } from '../api/advice';
import { fieldLabel } from './form-fields';

/**
 * What to do about an error in n8n. Names fields as the forms do, and leaves environment variables to the
 * administrator.
 */
export const N8N_WORDS: DoorWords = {
  names: {
    ...TYPESCRIPT_WORDS.names,
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
    sharedPath: 'leave "Worker Host" empty',
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
    option: (name) => fieldLabel(name) ?? name,
  },
  codes: {
    ...TYPESCRIPT_WORDS.codes,
    NoWorker: 'Start a worker: `media-service worker`.',
    ProcessingTimeout: "Don't upload the file again. Use Upload > Wait with the Upload ID.",
    TemporalUnreachable: 'Ask your administrator to check that the worker reaches Temporal.',
  },
};

/** A variable of the worker. */
function setting(name: string): string {
  return `${name} of the worker (ask your administrator)`;
}
