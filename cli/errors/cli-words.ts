import type { DoorWords } from '../../api/advice';
import { TYPESCRIPT_WORDS } from '../../api/typescript-words';
import { VARIABLES } from '../../settings/variables';

/** What to do, for readers at the command line: flags, commands and environment variables. */
export const CLI_WORDS: DoorWords = {
  remedies: {
    'fix-variables': () => 'Fix these environment variables; docs/configuration.md lists them all.',
    'set-account': ({ accounts }) =>
      `${accounts ? `${VARIABLES.accounts.name} is read only by the worker; this command acts for one account. ` : ''}Set the environment variables named above (a secret also as …_FILE, the path of a file that holds it). To try without a service, start \`media-service simulator\`, which prints them.`,
    'fill-in-setting': ({ setting }) => `Set ${setting}.`,
    'allow-plain-http': () =>
      `Use https, or allow plain http explicitly (allowPlainHttp in ${VARIABLES.options.name}) if the network is trusted.`,
    'trust-certificate': () =>
      'Have the certificate corrected, or name the certificate of its issuer in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE.',
    'set-secrets': ({ why }) => SECRETS[why],
    'read-every-page': () => 'To get more, use --limit, or --all.',
    'get-everything': () => 'To get everything, use --all.',
    'name-delivery-field': ({ role }) =>
      `Ask the operator of the service for the field that holds this (${role}). n8n's node can name it.`,

    'allow-file': ({ rootsSet, isAbsolute }) =>
      rootsSet
        ? `${isAbsolute ? 'Move' : 'Give its full path, move'} the file, or add its folder to ${VARIABLES.fileRoots.name}. Symbolic links are followed before the check.`
        : `Set ${VARIABLES.fileRoots.name} to the folders that files may be uploaded from.`,
    'allow-output': ({ rootsSet }) =>
      `${rootsSet ? `Choose another folder, or add this one to ${VARIABLES.outputRoots.name} of the worker` : `Set ${VARIABLES.outputRoots.name} of the worker to the folders that batches and reports may be written to`}, and restart the worker. While it is unset, a worker writes only below the folder it was started in. Symbolic links are followed before the check.`,
    'allow-source-host': ({ host }) => `To allow it, add the host ${host} to ${VARIABLES.sourceHosts.name}.`,
    'allow-bucket': () => `Add it to ${VARIABLES.s3Buckets.name} of the worker, or choose another bucket.`,
    'give-source-headers': () =>
      `If it needs a login, put its headers into a named secret (${VARIABLES.secrets.name} of the worker), and name that with --source-secret NAME.`,
    'set-spool-folder': ({ why }) => SPOOL_FOLDER[why],
    'set-s3-credentials': ({ why }) =>
      why === 'missing'
        ? 'For the worker, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give its machine a role.'
        : 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the worker, or the profile that its AWS_PROFILE names.',
    'set-s3-address': ({ what }) => S3_ADDRESS[what],
    'pay-for-requests': () => 'If the reader must pay, use --requester-pays.',
    'accept-any-content': () =>
      'Open the source: it may be an error or login page. If it is right, use --accept-any-content.',

    'choose-file-type': ({ types, inManifest = false }) =>
      `Give one of ${types.join(', ')} ${inManifest ? 'in the column fileType' : 'with --file-type'}.`,
    'lower-max-parts': ({ sent }) =>
      `If the deployment takes fewer than ${sent} parts, lower maxParts in ${VARIABLES.options.name}.`,
    'raise-max-parts': ({ maxParts, allowed }) =>
      `maxParts in ${VARIABLES.options.name} is ${maxParts}; the service allows up to ${allowed}.`,
    'wait-for-session': ({ uploadId }) =>
      `Don't upload it again. To see its state, run: media-service uploads show ${uploadId} --session`,
    'set-additional-urls': ({ example }) =>
      `Ask the operator of the service for the method, path and body of the request for additional pre-signed URLs, and set ${VARIABLES.additionalUrls.name}, for example ${example}.`,
    'renew-urls': ({ why }) => RENEW_URLS[why],
    'turn-off-checksums': () => "If this storage's ETags are not MD5 checksums, use --no-verify.",
    'set-part-content-type': () =>
      `Pre-signed URLs work only with the Content-Type they were signed for. Ask the operator of the service for it, and set partContentType in ${VARIABLES.options.name}.`,
    'send-fewer-parts': () => 'The part is retried. If this continues, lower --concurrency.',
    'choose-manifest-format': () =>
      'Give its format with --format csv or --format jsonl, or name it .csv or .jsonl.',
    'unpack-manifest': () => 'Unpack it first, for example: gunzip -c manifest.csv.gz > manifest.csv',
    'check-manifest': () => '`media-service batches check` names all mistakes.',

    'run-worker': ({ host, because }) => runWorker(host, because),
    'start-worker': ({ starts, host, isHere }) =>
      `${starts} when a worker does. Run \`media-service worker\` ${isHere ? 'on this machine' : host === undefined ? 'with the secrets of this account' : `on ${host}`}.`,
    'ask-worker-again': () => 'Try again in a minute. `media-service doctor` lists the running workers.',
    'keep-previous-keys': () =>
      `If the account's secret key changed, add the previous key to ${VARIABLES.previousSecretKeys.name} of the workers (previousSecretKeys in an accounts file), and give the new key to workers that still have the old one. Running uploads then continue by themselves.`,
    'shorten-fields': () => 'Shorten them, or put the large part elsewhere and refer to it.',
    'upload-new-content': () => 'To upload the new content, use --again or another --id.',
    'upload-under-other-key': () => 'Use --again, or another --id.',
    'upload-once-more': () => 'To upload the file once more, use `upload --again`.',
    'name-an-upload': () => 'Use the id that `uploads list` shows.',
    'retry-rows-of-batch': () => 'Retry the failed rows of the batch: `media-service batches retry`.',
    'see-how-it-ended': ({ noun, id }) =>
      noun === 'batch'
        ? `See its results with \`media-service batches show ${id}\`. Rows that failed can be retried with \`batches retry\`.`
        : `See how it ended with \`media-service uploads show ${id}\`. If the file did not arrive, start it again with \`uploads retry\`.`,
    'choose-another-batch': ({ running, options }) =>
      `${options.length === 0 ? '' : `These options differ: ${options.join(', ')}. `}${
        running
          ? 'Use the manifest, folder and options of the running batch, use another --id, or wait until it ends. You can add rows to an ended batch.'
          : "Use the batch's own folder, or another --id."
      }`,
    'wait-for-batch': () => 'Wait for its end (`media-service batches wait`), or cancel it first.',
    'check-temporal-tls': () =>
      'Check TEMPORAL_TLS_SERVER_CA_CERT_PATH (the authority of its certificate; NODE_EXTRA_CA_CERTS and SSL_CERT_FILE count as well), TEMPORAL_TLS_SERVER_NAME (the name in it), and TEMPORAL_TLS_CLIENT_CERT_PATH with its key (your own certificate, if it asks for one).',
    'check-temporal-address': ({ encrypted }) =>
      `${encrypted ? 'TLS is on. A server without TLS, such as a local one, never answers: turn TLS off for it (TEMPORAL_TLS=false). ' : ''}Check address, TLS and API key; for a local server run \`npm run temporal\` or \`temporal server start-dev\`.`,
    'change-schedule': ({ id }) =>
      `Delete that one first (\`media-service schedules delete ${id}\`), or give this one another --id.`,
    'list-schedules': () => '`media-service schedules list` lists the schedules.',
    'allow-webhook-host': () =>
      `To allow it, add the host to ${VARIABLES.sourceHosts.name} of the worker. Link-local and metadata addresses are never allowed.`,
    'fix-worker-folder': ({ setting }) =>
      `Create it, give this user its rights, or change ${VARIABLES[setting].name}.`,
    'choose-listen-address': ({ setting }) =>
      `Choose a free port for --${setting}; --health and --metrics each need their own. "*:PORT" is for all addresses of this machine.`,
  },
  codes: {
    ...TYPESCRIPT_WORDS.codes,
    UnreadableAnswer: 'Run `media-service doctor` to see what answers at this address.',
    NoWorker: 'Run `media-service worker`.',
    TemporalUnreachable: 'Run `media-service doctor` to see what answers at its address.',
    Internal: 'This error was not expected. Run the command again with --debug and report what it shows.',
  },
};

const SECRETS = {
  unset: `Set ${VARIABLES.secrets.name} of the worker to a JSON file of secrets by name, or to a folder with a file for each.`,
  unreadable: `Check ${VARIABLES.secrets.name} and the rights of this user.`,
  away: `Check the disk that ${VARIABLES.secrets.name} names. Running uploads continue when the disk answers again.`,
} as const;

const SPOOL_FOLDER = {
  unset: `Set ${VARIABLES.spoolDir.name} to a folder with room for the file.`,
  full: `A running upload continues by itself once other copies end and there is room. If that takes too long, free some space or set ${VARIABLES.spoolDir.name} to a folder on a larger disk.`,
  unusable: `Set ${VARIABLES.spoolDir.name} to a folder that this process may write to, on a disk that is large enough and takes large files.`,
} as const;

const S3_ADDRESS = {
  region: `Set AWS_REGION to the bucket's region, and ${VARIABLES.s3Endpoint.name} if it is not Amazon's.`,
  network: `Check ${VARIABLES.s3Endpoint.name}, AWS_REGION and the network between this machine and S3.`,
  name: `Check the names of bucket and object, and ${VARIABLES.s3Endpoint.name}.`,
} as const;

const RENEW_URLS = {
  expired: `Set ${VARIABLES.additionalUrls.name} (ask the operator of the service for its form), use a higher --concurrency or a faster connection, or use --restart-on-expiry.`,
  sealed: `Add the account's previous secret key to ${VARIABLES.previousSecretKeys.name} of the workers, set ${VARIABLES.additionalUrls.name}, or use --restart-on-expiry. Then start the upload again.`,
} as const;

function runWorker(host: string | undefined, because: string | undefined): string {
  if (host === undefined)
    return 'Run `media-service worker` with the secrets of this account, the same Temporal namespace and the same task queue prefix.';
  const there = `Run \`media-service worker\` on the machine ${host} (its ${VARIABLES.host.name} or host name)`;
  return because === undefined
    ? `${there}.`
    : `${there}, because ${because}. If every worker mounts it at this path, pass --shared-path.`;
}

/** The flags for fields that errors name as in TypeScript. */
const FLAGS: Readonly<Record<string, string>> = {
  at: '--at',
  cron: '--cron',
  from: '--from',
  id: '--id',
  limit: '--limit',
  mailFrom: '--mail-from',
  smtpSecret: '--smtp-secret',
  timezone: '--timezone',
  target: '--target',
  to: '--to',
  webhookSecret: '--webhook-secret',
};

/** Returns undefined if no flag sets the field. A field of the command line is already a flag. */
export function flagOf(field: string): string | undefined {
  if (field.startsWith('--')) return field;
  return Object.hasOwn(FLAGS, field) ? FLAGS[field] : undefined;
}
