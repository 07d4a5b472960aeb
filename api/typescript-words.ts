import { MediaServiceError } from './errors';
import { adviceOf, NONE_NEEDED, whatToDo, type Advice, type DoorWords } from './advice';

/**
 * What to do, for callers of this package in TypeScript. The results of batches use these words too, because anybody
 * may read them.
 */
export const TYPESCRIPT_WORDS: DoorWords = {
  remedies: {
    'fix-variables': () =>
      'Fix these environment variables. The documentation of this package lists them all.',
    'set-account': () => 'Set these environment variables. A secret may also be in a file, named in …_FILE.',
    'fill-in-setting': ({ setting }) => `Set ${setting} of the account.`,
    'allow-plain-http': () => 'Use https, or set allowPlainHttp if the network is trusted.',
    'trust-certificate': () =>
      'Have the certificate corrected, or let this process trust its issuer (NODE_EXTRA_CA_CERTS).',
    'set-secrets': ({ why }) => SECRETS[why],
    'read-every-page': () => 'Use a smaller size. To read more than one page, use each().',
    'get-everything': () => 'To get everything, omit the limit.',
    'name-delivery-field': ({ role }) => `Name the field: fields.${role}.`,

    'allow-file': ({ rootsSet, isAbsolute }) =>
      rootsSet
        ? `${isAbsolute ? 'Move' : 'Give its full path, move'} the file, or add its folder to the allowed folders. Symbolic links are followed before the check.`
        : 'Allow the folders that files may be uploaded from.',
    'allow-output': ({ rootsSet }) =>
      `${rootsSet ? 'Choose another folder, or allow it' : 'Allow the folders that batches and reports may be written to'} for the worker. Symbolic links are followed before the check.`,
    'allow-source-host': ({ host }) => `To allow it, add the host ${host} to the allowed source hosts.`,
    'allow-bucket': () => 'Allow it for the worker, or choose another bucket.',
    'give-source-headers': () =>
      'If it needs a login, put its headers into a named secret of the worker and name that with the source.',
    'set-spool-folder': ({ why }) => SPOOL_FOLDER[why],
    'set-s3-credentials': ({ why }) =>
      why === 'missing'
        ? 'Give the worker credentials for S3, or its machine a role.'
        : "Check the worker's credentials for S3.",
    'set-s3-address': ({ what }) => S3_ADDRESS[what],
    'pay-for-requests': () => 'If the reader must pay, set requesterPays of the source.',
    'accept-any-content': () =>
      'Open the source: it may be an error or login page. If it is right, set acceptAnyContent.',

    'choose-file-type': ({ types, inManifest = false }) =>
      `Give one of ${types.join(', ')} ${inManifest ? 'in the column fileType' : 'as fileType'}.`,
    'lower-max-parts': ({ sent }) => `If the deployment takes fewer than ${sent} parts, lower maxParts.`,
    'raise-max-parts': ({ maxParts, allowed }) =>
      `maxParts is ${maxParts}; the interface allows up to ${allowed}.`,
    'wait-for-session': ({ uploadId }) =>
      `Nothing needs to be uploaded again. Wait for the session ${uploadId}, or read it later.`,
    'set-additional-urls': ({ example }) =>
      `Ask the operator of the service for the method, path and body of the request for additional pre-signed URLs, and set it as additionalUrls, for example ${example}.`,
    'renew-urls': ({ why }) => RENEW_URLS[why],
    'turn-off-checksums': () => "If this storage's ETags are not MD5 checksums, set verifyMd5 to off.",
    'set-part-content-type': () =>
      'Pre-signed URLs work only with the Content-Type they were signed for. Ask the operator of the service for it, and set it as partContentType.',
    'send-fewer-parts': () => 'The part is retried. If this continues, lower concurrency.',
    'choose-manifest-format': () => 'Give the format csv or jsonl, or name the manifest .csv or .jsonl.',
    'unpack-manifest': () => 'Unpack it first.',
    'check-manifest': () => 'Check the manifest to see all mistakes.',

    'run-worker': ({ host, because }) =>
      host === undefined
        ? 'Run a worker with the secrets of this account, the same Temporal namespace and the same task queue prefix.'
        : because === undefined
          ? `Run a worker on ${host}.`
          : `Run a worker on ${host}, because ${because}. If every worker mounts it at this path, omit the host.`,
    'start-worker': ({ starts, host, isHere }) =>
      `${starts} when a worker does. Run a worker ${isHere ? 'on this machine' : host === undefined ? 'with the secrets of this account' : `on ${host}`}.`,
    'ask-worker-again': () => 'Try again in a minute.',
    'keep-previous-keys': () =>
      "If the account's secret key changed, add the previous key to previousSecretKeys of the workers, and give the new key to workers that still have the old one. Running uploads then continue by themselves.",
    'shorten-fields': () => 'Shorten them, or put the large part elsewhere and refer to it.',
    'upload-new-content': () => 'To upload the new content, set `again: true`, or use another `ingestKey`.',
    'upload-under-other-key': () => 'Set `again: true`, or use another `ingestKey`.',
    'upload-once-more': () => 'To upload the file once more, set `again: true`.',
    'name-an-upload': () => 'Use the id that the list of uploads shows.',
    'retry-rows-of-batch': () => 'Retry the failed rows of the batch.',
    'see-how-it-ended': ({ noun }) =>
      noun === 'batch'
        ? 'Its results say how each row ended. If rows are missing, start the batch again, or retry those that failed.'
        : 'Its result says how it ended. To upload a file that did not arrive, start it again.',
    'choose-another-batch': ({ running, options }) =>
      `${differenceText(options)}${
        running
          ? 'Use the manifest, folder and options of the running batch, use another id, or wait until it ends. You can add rows to an ended batch.'
          : "Use the batch's own folder, or another id."
      }`,
    'wait-for-batch': () => 'Wait for its end, or cancel it first.',
    'check-temporal-tls': () =>
      'Check caPem (the authority of its certificate), serverName (the name in it), and certPem with keyPem (your own certificate, if it asks for one).',
    'check-temporal-address': ({ encrypted }) =>
      `${encrypted ? 'TLS is on. A server without TLS, such as a local one, never answers: turn TLS off for it. ' : ''}Check address, TLS and API key.`,
    'change-schedule': () => 'Delete that one first, or give this one another id.',
    'list-schedules': () => 'List the schedules to see their ids.',
    'allow-webhook-host': () =>
      'To allow it, add the host to the allowed source hosts of the worker. Link-local and metadata addresses are never allowed.',
    'fix-worker-folder': ({ setting }) => `Create it, give this user its rights, or change ${setting}.`,
    'choose-listen-address': ({ setting }) =>
      `Choose a free port for ${setting}; health and metrics each need their own. As host, 127.0.0.1 is for this machine only, "*" for all its addresses.`,
  },
  codes: {
    Validation: NONE_NEEDED,
    Configuration: NONE_NEEDED,
    LoginRefused: 'Check the API key, the secret key and the external id.',
    Unauthorized: 'Check that the account may use this operation.',
    RequestRefused: NONE_NEEDED,
    RateLimited: 'Send fewer requests at once, or try again later.',
    ServiceFailed: 'Try again later.',
    Transport: 'Check the network between here and the service.',
    UnreadableAnswer: 'Check that the address is that of the Media Service.',
    StartAmbiguous: 'Search media by the ingest tag before you upload again.',
    CompleteAmbiguous: 'Read the session again later.',
    SourceMissing: 'Check the name of the file.',
    SourceUnavailable: 'Try again once the source can be read.',
    SourceChanged: 'Upload it again once nothing writes to it any more.',
    SourceNotAllowed: 'Choose another source.',
    UrlExpired: 'Start the upload again.',
    SignatureMismatch: 'Ask the operator of the service for the Content-Type of parts.',
    StorageRefused: 'Give the operator of the service the error code and the request id.',
    StorageBusy: 'Try again later, or send fewer parts at once.',
    PartStalled: 'Check the network between here and storage.',
    PartCorrupted: 'Upload the file again.',
    SessionGone: 'Upload the file again.',
    ProcessingFailed: 'Check the file, then upload it again.',
    ProcessingTimeout: "Wait for the end of the session. Don't upload the file again.",
    WorkerBusy: 'It is retried automatically.',
    Cancelled: NONE_NEEDED,
    AccountNotServed: 'Start a worker for this account.',
    InputTooNew: 'Update this program.',
    InputDiffers: 'Use another id, or the input of the first start.',
    NoWorker: 'Start a worker.',
    TemporalUnreachable: 'Check the address of Temporal and the network.',
    OutputFailed: 'Write to another file or folder.',
    Internal: NONE_NEEDED,
  },
};

const SECRETS = {
  unset: 'Give the worker a JSON file of secrets by name, or a folder with a file for each.',
  unreadable: 'Check the rights of this user.',
  away: 'Check its disk. Running uploads continue when the disk answers again.',
} as const;

const SPOOL_FOLDER = {
  unset: 'Set a spool folder with room for the file.',
  full: 'A running upload continues by itself once other copies end and there is room. If that takes too long, free some space or choose a spool folder on a larger disk.',
  unusable:
    'Choose a spool folder that this process may write to, on a disk that is large enough and takes large files.',
} as const;

const S3_ADDRESS = {
  region: "Set the bucket's region, and the address of S3 if it is not Amazon's.",
  network: 'Check the address of S3, the region and the network between this machine and S3.',
  name: 'Check the name and the address of S3.',
} as const;

const RENEW_URLS = {
  expired:
    'Set additionalUrls (ask the operator of the service for its form), use a higher concurrency or a faster connection, or set restartOnExpiry.',
  sealed:
    "Add the account's previous secret key to previousSecretKeys of the workers, set additionalUrls, or set restartOnExpiry. Then start the upload again.",
} as const;

function differenceText(options: readonly string[]): string {
  return options.length === 0 ? '' : `These options differ: ${options.join(', ')}. `;
}

/** What to do about an error of this package. Undefined for any other error, and if the message says it all. */
export function whatToDoAbout(error: unknown): string | undefined {
  if (!(error instanceof MediaServiceError)) return undefined;
  return whatToDo(TYPESCRIPT_WORDS, { ...adviceOf(error.facts), code: error.code });
}

/** The advice for readers whose interface is unknown: in files, histories and Temporal's own UI. */
export function adviceText(advice: Advice): string | undefined {
  return whatToDo(TYPESCRIPT_WORDS, adviceOf(advice));
}
