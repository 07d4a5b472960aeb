/**
 * What to do about an error. `remedy` is data: its text has the names of each interface (command line, n8n, TypeScript).
 * `hint` is text that fits all of them: it names no flag, no form field and no environment variable.
 */
export interface Advice {
  /** Full sentences. */
  readonly hint?: string;
  readonly remedy?: Remedy;
}
/** What each interface (command line, n8n, TypeScript) calls the same thing, as it stands in the texts below. */
export interface DoorNames {
  readonly accounts: string;
  readonly secrets: string;
  readonly deliveryFields: string;
  readonly fileRoots: string;
  readonly outputRoots: string;
  readonly sourceHosts: string;
  readonly spoolDir: string;
  readonly s3Buckets: string;
  readonly s3Credentials: string;
  readonly s3Endpoint: string;
  readonly s3Region: string;
  readonly sourceSecret: string;
  /** These are what to do, such as `use --again`. */
  readonly all: string;
  readonly allowPlainHttp: string;
  readonly certificates: string;
  readonly payForRequests: string;
  readonly acceptAnyContent: string;
  readonly turnOffChecksums: string;
  readonly again: string;
  readonly sharedPath: string;
  readonly nameFormat: string;
  readonly fileType: string;
  readonly maxParts: string;
  readonly concurrency: string;
  readonly partContentType: string;
  readonly additionalUrls: string;
  readonly previousSecretKeys: string;
  readonly waitForSession: string;
  readonly ingestKey: string;
  readonly batchId: string;
  readonly uploadEnd: (id: string) => string;
  readonly batchEnd: (id: string) => string;
  readonly temporalTls: string;
  readonly noTls: string;
  /** The name of an option or setting of TypeScript. */
  readonly option: (name: string) => string;
}

const LINKS = 'Symbolic links are followed before the check.';

/** What can be done about an error, by kind. The facts of a kind are plain JSON and safe to show. */
const TEXTS = {
  'fix-variables': () => 'Fix these environment variables. The documentation of this package lists them all.',
  'set-account': (of, { accounts }: { readonly accounts: boolean }) =>
    `${accounts ? `Only workers read ${of.accounts}; this command acts for one account. ` : ''}Set the environment variables named above (a secret also as …_FILE, the path of a file that holds it). To try without a service, start \`media-service simulator\`, which prints them.`,
  'fill-in-setting': () => 'Fill it in.',
  'allow-plain-http': (of) => `Use https, or ${of.allowPlainHttp} if the network is trusted.`,
  'trust-certificate': (of) => `Have the certificate corrected, or trust its issuer: ${of.certificates}.`,
  'set-secrets': (of, { why }: { readonly why: 'unset' | 'unreadable' | 'away' }) =>
    ({
      unset: `Set ${of.secrets} to a JSON file of secrets by name, or to a folder with a file for each.`,
      unreadable: `Check ${of.secrets}, and the rights of its user.`,
      away: `Check the disk of ${of.secrets}. Running uploads continue when the disk answers again.`,
    })[why],
  'read-every-page': (of) => `To get more, ${of.all}.`,
  'get-everything': (of) => `To get everything, ${of.all}.`,
  /** For the records of webhook deliveries. */
  'name-delivery-field': (
    of,
    { role }: { readonly role: 'id' | 'time' | 'status' | 'media' | 'subAccount' },
  ) => `Ask the operator of the service for the field that holds this (${role}). ${of.deliveryFields}`,

  /** `rootsSet`: some folders are allowed, but none contains the file. */
  'allow-file': (
    of,
    { rootsSet, isAbsolute }: { readonly rootsSet: boolean; readonly isAbsolute: boolean },
  ) =>
    rootsSet
      ? `${isAbsolute ? 'Move' : 'Give its full path, move'} the file, or add its folder to ${of.fileRoots}. ${LINKS}`
      : `Set ${of.fileRoots} to the folders that files may be uploaded from.`,
  'allow-output': (of, { rootsSet }: { readonly rootsSet: boolean }) =>
    rootsSet
      ? `Choose another folder, or add this one to ${of.outputRoots}, and restart the worker. ${LINKS}`
      : `Set ${of.outputRoots} to the folders that batches and reports may be written to, and restart the worker.`,
  'allow-source-host': (of, { host }: { readonly host: string }) =>
    `To allow it, add the host ${host} to ${of.sourceHosts}.`,
  'allow-webhook-host': (of) =>
    `To allow it, add the host to ${of.sourceHosts}. Link-local and metadata addresses are never allowed.`,
  'allow-bucket': (of) => `Add it to ${of.s3Buckets}, or choose another bucket.`,
  'give-source-headers': (of) =>
    `If it needs a login, put its headers into a named secret of the worker, and name that in ${of.sourceSecret}.`,
  'set-spool-folder': (of, { why }: { readonly why: 'unset' | 'full' | 'unusable' }) =>
    ({
      unset: `Set ${of.spoolDir} to a folder with room for the file.`,
      full: `A running upload continues by itself once other copies end and there is room. If that takes too long, free some space or set ${of.spoolDir} to a folder on a larger disk.`,
      unusable: `Set ${of.spoolDir} to a folder that this process may write to, on a disk that is large enough and takes large files.`,
    })[why],
  'set-s3-credentials': (of, { why }: { readonly why: 'missing' | 'refused' }) =>
    why === 'missing'
      ? `Give the worker credentials for S3 (${of.s3Credentials}), or its machine a role.`
      : `Check the worker's credentials for S3 (${of.s3Credentials}).`,
  'set-s3-address': (of, { what }: { readonly what: 'region' | 'network' | 'name' }) =>
    ({
      region: `Set ${of.s3Region} to the bucket's region, and ${of.s3Endpoint} if it is not Amazon's.`,
      network: `Check ${of.s3Endpoint}, ${of.s3Region} and the network between this machine and S3.`,
      name: `Check the names of bucket and object, and ${of.s3Endpoint}.`,
    })[what],
  'pay-for-requests': (of) => `If the reader must pay, ${of.payForRequests}.`,
  'accept-any-content': (of) =>
    `Open the source: it may be an error or login page. If it is right, ${of.acceptAnyContent}.`,

  /** `inManifest`: the file is a row of a manifest. */
  'choose-file-type': (
    of,
    { types, inManifest }: { readonly types: readonly string[]; readonly inManifest?: boolean },
  ) =>
    `If the file is one of ${types.join(', ')}, give that in ${inManifest === true ? 'the column fileType' : of.fileType}.`,
  /** A start with this many parts was refused. */
  'lower-max-parts': (of, { sent }: { readonly sent: number }) =>
    `If the deployment takes fewer than ${sent} parts, lower ${of.maxParts}.`,
  'raise-max-parts': (of, { maxParts, allowed }: { readonly maxParts: number; readonly allowed: number }) =>
    `Now ${of.maxParts} is ${maxParts}; the service allows up to ${allowed}.`,
  'wait-for-session': (of, { uploadId }: { readonly uploadId: string }) =>
    `Don't upload it again. Wait for the session ${uploadId}, or read it later with ${of.waitForSession}.`,
  'set-additional-urls': (of, { example }: { readonly example: string }) =>
    `Ask the operator of the service for the method, path and body of the request for additional pre-signed URLs, and set ${of.additionalUrls}, for example ${example}.`,
  /** `sealed`: this worker does not have the key that sealed the URLs. */
  'renew-urls': (of, { why }: { readonly why: 'expired' | 'sealed' }) =>
    why === 'expired'
      ? `Set ${of.additionalUrls} (ask the operator of the service for its form), or use a faster connection or more parts at once.`
      : `Add the account's previous secret key to ${of.previousSecretKeys}, or set ${of.additionalUrls}. Then start the upload again.`,
  'turn-off-checksums': (of) => `If this storage's ETags are not MD5 checksums, ${of.turnOffChecksums}.`,
  'set-part-content-type': (of) =>
    `Pre-signed URLs work only with the Content-Type they were signed for. Ask the operator of the service for it, and set ${of.partContentType}.`,
  'send-fewer-parts': (of) => `The part is retried. If this continues, lower ${of.concurrency}.`,
  'choose-manifest-format': (of) => `Name the manifest .csv or .jsonl${of.nameFormat}.`,
  /** The manifest has more mistakes than the message names. */
  'check-manifest': () => '`media-service batches check` names all mistakes.',

  /** `host`: only a worker on this machine helps, `because` of something that is on it. */
  'run-worker': (of, { host, because }: { readonly host?: string; readonly because?: string }) => {
    if (host === undefined)
      return 'Run `media-service worker` with the secrets of this account, the same Temporal namespace and the same task queue prefix.';
    return because === undefined
      ? `Run \`media-service worker\` on ${host}.`
      : `Run \`media-service worker\` on ${host}, because ${because}. If every worker mounts it at this path, ${of.sharedPath}.`;
  },
  /**
   * A started job waits for a worker. `starts`: `The upload starts`. `isHere`: a worker on the reader's machine helps.
   */
  'start-worker': (
    _of,
    { starts, host, isHere }: { readonly starts: string; readonly host?: string; readonly isHere: boolean },
  ) =>
    `${starts} when a worker does. Run \`media-service worker\` ${isHere ? 'on this machine' : host === undefined ? 'with the secrets of this account' : `on ${host}`}.`,
  'ask-worker-again': () =>
    'If no worker runs, start one: `media-service doctor` lists those that do. A busy worker answers later.',
  'keep-previous-keys': (of) =>
    `If the account's secret key changed, add the previous key to ${of.previousSecretKeys}, and give the new key to workers that still have the old one. Running uploads then continue by themselves.`,
  'shorten-fields': () => 'Shorten them, or put the large part elsewhere and refer to it.',
  'upload-new-content': (of) => `To upload the new content, ${of.again}, or use another ${of.ingestKey}.`,
  /** The caller's ingest key is that of an upload with other fields. */
  'upload-under-other-key': (of) => `To upload it as well, ${of.again}, or use another ${of.ingestKey}.`,
  'upload-once-more': (of) => `To upload the file once more, ${of.again}.`,
  'name-an-upload': () => 'Use the id that the list of uploads shows.',
  'retry-rows-of-batch': () => 'Retry the failed rows of the batch: `media-service batches retry`.',
  /** `id`: of its workflow. */
  'see-how-it-ended': (of, { noun, id }: { readonly noun: 'upload' | 'batch'; readonly id: string }) =>
    noun === 'batch'
      ? `See its results with ${of.batchEnd(id)}. Rows that failed can be retried.`
      : `See how it ended with ${of.uploadEnd(id)}. If the file did not arrive, start it again.`,
  /** `options`: the options that differ, with their TypeScript names. */
  'choose-another-batch': (
    of,
    { running, options }: { readonly running: boolean; readonly options: readonly string[] },
  ) => {
    const differ = options.length === 0 ? '' : `These options differ: ${options.map(of.option).join(', ')}. `;
    return running
      ? `${differ}Use the manifest, folder and options of the running batch, use another ${of.batchId}, or wait until it ends. You can add rows to an ended batch.`
      : `${differ}Use the batch's own folder, or another ${of.batchId}.`;
  },
  'wait-for-batch': () => 'Wait for its end, or cancel it first.',
  'check-temporal-tls': (of) =>
    `Check the authority of its certificate, the name in it, and your own certificate, if it asks for one: ${of.temporalTls}.`,
  /** `encrypted`: TLS is on. */
  'check-temporal-address': (of, { encrypted }: { readonly encrypted: boolean }) =>
    `${encrypted ? `TLS is on. A server without TLS, such as a local one, never answers: turn TLS off for it (${of.noTls}). ` : ''}Check address, TLS and API key.`,
  'change-schedule': (_of, { id }: { readonly id: string }) =>
    `Delete that one first (\`media-service schedules delete ${id}\`), or give this one another id.`,
  'list-schedules': () => '`media-service schedules list` lists the schedules.',
  'fix-worker-folder': (
    of,
    { setting }: { readonly setting: 'fileRoots' | 'outputRoots' | 'spoolDir' | 'secrets' },
  ) => `Create it, give this user its rights, or change ${of[setting]}.`,
  'choose-listen-address': (_of, { setting }: { readonly setting: 'health' | 'metrics' | 'http' }) =>
    `Choose a free port for ${setting}; health and metrics each need their own. As host, 127.0.0.1 is for this machine only, "*" for all its addresses.`,
} satisfies Record<string, (of: DoorNames, facts: never) => string>;

/** The facts of each kind. */
export type Remedies = {
  readonly [K in keyof typeof TEXTS]: Parameters<(typeof TEXTS)[K]> extends [unknown, infer Facts]
    ? Facts
    : object;
};

/** The text of each kind, with the names of an interface. */
export const REMEDY_TEXTS: {
  readonly [K in keyof Remedies]: (of: DoorNames, facts: Remedies[K]) => string;
} = TEXTS;

export type RemedyKind = keyof Remedies;

/** Plain JSON, because it passes through Temporal, memos and the results of batches. */
export type Remedy<Kind extends RemedyKind = RemedyKind> = {
  readonly [K in Kind]: { readonly kind: K } & Remedies[K];
}[Kind];
