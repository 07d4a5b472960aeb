import { NONE_NEEDED, type DoorWords } from '../api/advice';
import { TYPESCRIPT_WORDS } from '../api/typescript-words';
import { fieldLabel } from './field-labels';

/**
 * What to do about an error in n8n. Names fields as the forms do, and leaves environment variables to the
 * administrator.
 */
export const N8N_WORDS: DoorWords = {
  remedies: {
    'fix-variables': () =>
      'Ask your administrator to fix these environment variables of n8n. The documentation of this package lists them all.',
    'set-account': NONE_NEEDED,
    'fill-in-setting': () => 'Fill it in.',
    'allow-plain-http': () =>
      'Use https, or turn on Advanced Settings > Allow Plain HTTP if the network is trusted.',
    'trust-certificate': () =>
      'Have the certificate corrected, or ask your administrator to let n8n trust its issuer (NODE_EXTRA_CA_CERTS).',
    'set-secrets': ({ why }) => SECRETS[why],
    'read-every-page': () => 'To get more, turn on Return All.',
    'get-everything': () => 'To get everything, turn on Return All.',
    'name-delivery-field': ({ role }) => DELIVERY_FIELDS[role],

    'allow-file': ({ rootsSet, isAbsolute }) =>
      rootsSet
        ? `${isAbsolute ? 'Move' : 'Give its full path, move'} the file, or ask your administrator to add its folder to MEDIA_SERVICE_FILE_ROOTS. Symbolic links are followed before the check.`
        : 'Ask your administrator to set MEDIA_SERVICE_FILE_ROOTS to the folders that files may be uploaded from.',
    'allow-output': ({ rootsSet }) =>
      `${rootsSet ? 'Choose another folder, or ask' : 'Ask'} your administrator to allow it in MEDIA_SERVICE_OUTPUT_ROOTS of the worker. Symbolic links are followed before the check.`,
    'allow-source-host': ({ host }) =>
      `To allow it, ask your administrator to add the host ${host} to MEDIA_SERVICE_SOURCE_HOSTS.`,
    'allow-bucket': () =>
      'Ask your administrator to add it to MEDIA_SERVICE_S3_BUCKETS of the worker, or choose another bucket.',
    'give-source-headers': () =>
      'If it needs a login, give an address that needs none, such as a pre-signed one. Batch > Start takes a secret of the worker with its headers ("Source Headers Secret").',
    'set-spool-folder': ({ why }) => SPOOL_FOLDER[why],
    'set-s3-credentials': ({ why }) =>
      `${why === 'missing' ? 'Ask your administrator to give the worker credentials for S3' : "Ask your administrator to check the worker's credentials for S3"} (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or a role).`,
    'set-s3-address': ({ what }) => S3_ADDRESS[what],
    'pay-for-requests': () =>
      'If the reader must pay, start the upload at the command line, which can accept the charges.',
    'accept-any-content': () =>
      'Open the source: it may be an error or login page. If it is right, turn on the option "Accept Any Content".',

    'choose-file-type': ({ types, inManifest = false }) =>
      `If the file is one of ${types.join(', ')}, give that ${inManifest ? 'in the column fileType' : 'in Media Fields > File Type'}.`,
    'lower-max-parts': ({ sent }) => `If the deployment takes fewer than ${sent} parts, lower ${MAX_PARTS}.`,
    'raise-max-parts': ({ maxParts, allowed }) =>
      `${MAX_PARTS[0]?.toUpperCase() ?? ''}${MAX_PARTS.slice(1)} is ${maxParts}; the service allows up to ${allowed}.`,
    'wait-for-session': ({ uploadId }) =>
      `Don't upload it again. Use Upload > Wait with the Upload ID ${uploadId}.`,
    'set-additional-urls': ({ example }) =>
      `Ask the operator of the service for the method, path and body of the request for additional pre-signed URLs, and fill in "Additional URLs Request" of the credential "Media Service API", for example ${example}.`,
    'renew-urls': ({ why }) => RENEW_URLS[why],
    'turn-off-checksums': () =>
      'If this storage\'s ETags are not MD5 checksums, turn off the option "Verify Checksums".',
    'set-part-content-type': () =>
      'Pre-signed URLs work only with the Content-Type they were signed for. Ask the operator of the service for it, and your administrator to set partContentType in MEDIA_SERVICE_OPTIONS of the worker. Only uploads with "Run Upload In" set to Worker use it.',
    'send-fewer-parts': () => 'The part is retried, with fewer parts at once.',
    'choose-manifest-format': () => 'Give the manifest the extension .csv or .jsonl.',
    'unpack-manifest': () => 'Unpack it first.',
    'check-manifest': NONE_NEEDED,

    'run-worker': ({ host, because }) => runWorker(host, because),
    'start-worker': ({ starts, host }) =>
      `${starts} when a worker does. Run \`media-service worker\` ${host === undefined ? 'with the secrets of this account' : `on ${host}`}.`,
    'ask-worker-again': () => 'Try again in a minute.',
    'keep-previous-keys': () =>
      "If the account's secret key changed, ask your administrator to add the previous key to MEDIA_SERVICE_PREVIOUS_SECRET_KEYS of the workers, and to give the new key to workers that still have the old one. Running uploads then continue by themselves.",
    'shorten-fields': () =>
      'Shorten them, put the large part elsewhere and refer to it, or upload inside n8n, which takes up to 16 MB.',
    'upload-new-content': () =>
      'To upload the new content, turn on the option "Force New Upload", or choose another "Ingest Key".',
    'upload-under-other-key': () => 'Turn on the option "Force New Upload", or choose another "Ingest Key".',
    'upload-once-more': () => 'To upload the file once more, turn on the option "Force New Upload".',
    // Uploads can be retried only from the command line and TypeScript.
    'name-an-upload': NONE_NEEDED,
    'retry-rows-of-batch': NONE_NEEDED,
    'see-how-it-ended': ({ noun }) =>
      noun === 'batch'
        ? 'See its results with Batch > Get. Rows that failed can be retried with Batch > Retry Failed.'
        : 'See how it ended with Upload > Get. If the file did not arrive, start it again with Upload > Upload.',
    'choose-another-batch': ({ running, options }) =>
      `${differenceText(options)}${
        running
          ? 'Use the manifest, folder and options of the running batch, use another "Batch ID", or wait until it ends. You can add rows to an ended batch.'
          : 'Use the batch\'s own folder, or another "Batch ID".'
      }`,
    'wait-for-batch': () => 'Wait for its end (Batch > Wait), or cancel it first.',
    // Only workers connect to Temporal. Schedules and workers exist only at the command line and in TypeScript.
    'check-temporal-tls': NONE_NEEDED,
    'check-temporal-address': NONE_NEEDED,
    'change-schedule': NONE_NEEDED,
    'list-schedules': NONE_NEEDED,
    'allow-webhook-host': NONE_NEEDED,
    'fix-worker-folder': NONE_NEEDED,
    'choose-listen-address': NONE_NEEDED,
  },
  codes: {
    ...TYPESCRIPT_WORDS.codes,
    NoWorker: 'Start a worker: `media-service worker`.',
    ProcessingTimeout: "Don't upload the file again. Use Upload > Wait with the Upload ID.",
    TemporalUnreachable: 'Ask your administrator to check that the worker reaches Temporal.',
  },
};

const MAX_PARTS = 'the setting "Max Parts" of the credential "Media Service API"';

const SECRETS = {
  unset:
    'Ask your administrator to set MEDIA_SERVICE_SECRETS of the worker to a JSON file of secrets by name, or to a folder with a file for each.',
  unreadable:
    'Ask your administrator to check MEDIA_SERVICE_SECRETS of the worker and the rights of its user.',
  away: 'Ask your administrator to check the disk that MEDIA_SERVICE_SECRETS of the worker names. Running uploads continue when the disk answers again.',
} as const;

const DELIVERY_FIELDS = {
  id: 'Name the field in the option "ID Field".',
  time: 'Name the field in the option "Time Field".',
  status: 'Ask the operator of the service for the field that holds the status.',
  media: 'Name the field in the option "Media Field".',
  subAccount: 'Name the field in the option "Sub-Account Field".',
} as const;

const SPOOL_FOLDER = {
  unset: 'Ask your administrator to set MEDIA_SERVICE_SPOOL_DIR to a folder with room for the file.',
  full: 'A running upload continues by itself once other copies end and there is room. If that takes too long, ask your administrator to free some space, or to set MEDIA_SERVICE_SPOOL_DIR to a folder on a larger disk.',
  unusable:
    'Ask your administrator to set MEDIA_SERVICE_SPOOL_DIR to a folder that may be written to, on a disk that is large enough and takes large files.',
} as const;

const S3_ADDRESS = {
  region:
    "Ask your administrator to set AWS_REGION of the worker to the bucket's region, and MEDIA_SERVICE_S3_ENDPOINT if it is not Amazon's.",
  network:
    'Ask your administrator to check MEDIA_SERVICE_S3_ENDPOINT and AWS_REGION of the worker, and the network between it and S3.',
  name: 'Check the names of bucket and object. Your administrator can check MEDIA_SERVICE_S3_ENDPOINT of the worker.',
} as const;

const RENEW_URLS = {
  expired:
    'Fill in "Additional URLs Request" of the credential (ask the operator of the service for its form), use a faster connection, or turn on the option "Restart if URLs Expire".',
  sealed:
    'Ask your administrator to add the account\'s previous secret key to MEDIA_SERVICE_PREVIOUS_SECRET_KEYS of the workers, or turn on the option "Restart if URLs Expire". Then start the upload again.',
} as const;

function runWorker(host: string | undefined, because: string | undefined): string {
  if (host === undefined)
    return 'Run `media-service worker` with the secrets of this account, the same Temporal namespace and the same task queue prefix.';
  const there = `Run \`media-service worker\` on the machine ${host} (its MEDIA_SERVICE_HOST or host name)`;
  return because === undefined
    ? `${there}.`
    : `${there}, because ${because}. If every worker mounts it at this path, leave "Worker Host" empty.`;
}

function differenceText(options: readonly string[]): string {
  return options.length === 0
    ? ''
    : `These options differ: ${options.map((name) => fieldLabel(name) ?? name).join(', ')}. `;
}
