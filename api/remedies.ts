/**
 * What can be done about an error, by kind, with the values for its text. All values are plain JSON and safe to show.
 */
export interface Remedies extends AccountRemedies, SourceRemedies, UploadRemedies, TemporalRemedies {}

interface AccountRemedies {
  /** The message names the environment variables that are wrong. */
  readonly 'fix-variables': Nothing;
  /** The message names the environment variables that the account lacks. `accounts`: a file of accounts is set. */
  readonly 'set-account': { readonly accounts: boolean };
  readonly 'fill-in-setting': { readonly setting: string };
  readonly 'allow-plain-http': Nothing;
  readonly 'trust-certificate': Nothing;
  readonly 'set-secrets': { readonly why: 'unset' | 'unreadable' | 'away' };
  readonly 'read-every-page': Nothing;
  readonly 'get-everything': Nothing;
  /** For the records of webhook deliveries. */
  readonly 'name-delivery-field': { readonly role: 'id' | 'time' | 'status' | 'media' | 'subAccount' };
}

interface SourceRemedies {
  /** `rootsSet`: some folders are allowed, but none contains the file. */
  readonly 'allow-file': { readonly rootsSet: boolean; readonly isAbsolute: boolean };
  readonly 'allow-output': { readonly rootsSet: boolean };
  readonly 'allow-source-host': { readonly host: string };
  readonly 'allow-bucket': Nothing;
  readonly 'give-source-headers': Nothing;
  readonly 'set-spool-folder': { readonly why: 'unset' | 'full' | 'unusable' };
  readonly 'set-s3-credentials': { readonly why: 'missing' | 'refused' };
  readonly 'set-s3-address': { readonly what: 'region' | 'network' | 'name' };
  readonly 'pay-for-requests': Nothing;
  readonly 'accept-any-content': Nothing;
}

interface UploadRemedies {
  /** `inManifest`: the file is a row of a manifest. */
  readonly 'choose-file-type': { readonly types: readonly string[]; readonly inManifest?: boolean };
  /** A start with this many parts was refused. */
  readonly 'lower-max-parts': { readonly sent: number };
  readonly 'raise-max-parts': { readonly maxParts: number; readonly allowed: number };
  readonly 'wait-for-session': { readonly uploadId: string };
  readonly 'set-additional-urls': { readonly example: string };
  /** `sealed`: this worker does not have the key that sealed the URLs. */
  readonly 'renew-urls': { readonly why: 'expired' | 'sealed' };
  readonly 'turn-off-checksums': Nothing;
  readonly 'set-part-content-type': Nothing;
  readonly 'send-fewer-parts': Nothing;
  readonly 'choose-manifest-format': Nothing;
  readonly 'unpack-manifest': Nothing;
  /** The manifest has more mistakes than the message names. */
  readonly 'check-manifest': Nothing;
}

interface TemporalRemedies {
  /** `host`: only a worker on this machine helps, `because` of something that is on it. */
  readonly 'run-worker': { readonly host?: string; readonly because?: string };
  /**
   * A started job waits for a worker. `starts`: `The upload starts`. `isHere`: a worker on the reader's machine helps.
   */
  readonly 'start-worker': { readonly starts: string; readonly host?: string; readonly isHere: boolean };
  readonly 'ask-worker-again': Nothing;
  readonly 'keep-previous-keys': Nothing;
  readonly 'shorten-fields': Nothing;
  readonly 'upload-new-content': Nothing;
  /** The caller's ingest key is that of an upload with other fields. */
  readonly 'upload-under-other-key': Nothing;
  readonly 'upload-once-more': Nothing;
  readonly 'name-an-upload': Nothing;
  readonly 'retry-rows-of-batch': Nothing;
  /** `id`: of its workflow. */
  readonly 'see-how-it-ended': { readonly noun: 'upload' | 'batch'; readonly id: string };
  /** `options`: the options that differ, with their TypeScript names. */
  readonly 'choose-another-batch': { readonly running: boolean; readonly options: readonly string[] };
  readonly 'wait-for-batch': Nothing;
  readonly 'check-temporal-tls': Nothing;
  /** `encrypted`: TLS is on. */
  readonly 'check-temporal-address': { readonly encrypted: boolean };
  readonly 'change-schedule': { readonly id: string };
  readonly 'list-schedules': Nothing;
  readonly 'allow-webhook-host': Nothing;
  readonly 'fix-worker-folder': { readonly setting: 'fileRoots' | 'outputRoots' | 'spoolDir' | 'secrets' };
  readonly 'choose-listen-address': { readonly setting: 'health' | 'metrics' | 'http' };
}

type Nothing = object;
