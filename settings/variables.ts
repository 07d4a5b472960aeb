import * as as from './value-parsers';
import { serviceOptionsIn } from './service-options';

/** One environment variable: its name, its meaning, and how to read its text. */
export interface Variable<T = unknown> {
  readonly name: string;
  /** Its section in the documentation. */
  readonly group: VariableGroup;
  /** One sentence for a reader who sees it for the first time. */
  readonly meaning: string;
  /** What applies while it is unset, in the words of the documentation. */
  readonly whenUnset: string;
  /** A valid value, shown when another value was refused. */
  readonly example: string;
  /** True: never shown, and also read from the file in `<name>_FILE`. */
  readonly secret?: boolean;
  /** The value is a path, or several separated as in PATH. */
  readonly paths?: 'one' | 'list';
  /** Throws an `Error` whose message ends the sentence "<name> …". */
  parse(text: string): T;
}

export type VariableGroup = 'account' | 'service' | 'sources' | 'temporal' | 'workers';

/** Keeps the type of the value. */
function variable<T>(definition: Variable<T>): Variable<T> {
  return definition;
}

/**
 * Every environment variable that this package reads: the only table behind settings, `--help` and
 * docs/configuration.md.
 */
export const VARIABLES = {
  baseUrl: variable({
    name: 'MEDIA_SERVICE_BASE_URL',
    group: 'account',
    meaning: 'Address of login, search and webhook search.',
    whenUnset: 'required',
    example: 'https://api.media.example',
    parse: as.httpUrl,
  }),
  uploadUrl: variable({
    name: 'MEDIA_SERVICE_UPLOAD_URL',
    group: 'account',
    meaning: 'Address of the upload operations.',
    whenUnset: 'required',
    example: 'https://upload.media.example',
    parse: as.httpUrl,
  }),
  apiKey: variable({
    name: 'MEDIA_SERVICE_API_KEY',
    group: 'account',
    meaning: "API key, issued by the service's operator.",
    whenUnset: 'required',
    example: '(the key as you were given it)',
    secret: true,
    parse: as.text,
  }),
  secretKey: variable({
    name: 'MEDIA_SERVICE_SECRET_KEY',
    group: 'account',
    meaning: 'Secret key that signs the login, and seals pre-signed URLs and addresses of sources.',
    whenUnset: 'required',
    example: '(the key as you were given it)',
    secret: true,
    parse: as.text,
  }),
  previousSecretKeys: variable({
    name: 'MEDIA_SERVICE_PREVIOUS_SECRET_KEYS',
    group: 'account',
    meaning: 'Earlier or coming secret keys of the account, separated by blanks or lines.',
    whenUnset: 'only what the secret key sealed can be opened',
    example: '(the key before the last change)',
    secret: true,
    parse: as.secretList,
  }),
  externalId: variable({
    name: 'MEDIA_SERVICE_EXTERNAL_ID',
    group: 'account',
    meaning: 'External id of the sub-account on whose behalf requests are made.',
    whenUnset: 'required',
    example: 'acme-studio',
    parse: as.text,
  }),
  settings: variable({
    name: 'MEDIA_SERVICE_SETTINGS',
    group: 'account',
    meaning:
      'Settings file that the command and its worker read; `media-service login` writes it. `/dev/null`: none.',
    whenUnset: '`media-service/settings.env` in `~/.config`, or in `XDG_CONFIG_HOME`',
    example: '/etc/media-service/settings.env',
    parse: as.text,
  }),
  additionalUrls: variable({
    name: 'MEDIA_SERVICE_ADDITIONAL_URLS',
    group: 'service',
    meaning: 'How to ask for more pre-signed URLs: method, path and optional body in one line.',
    whenUnset: 'no more URLs can be requested',
    example: 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}',
    parse: as.additionalUrlsRequest,
  }),
  options: variable({
    name: 'MEDIA_SERVICE_OPTIONS',
    group: 'service',
    meaning: 'Further options of the service, as a JSON object.',
    whenUnset: 'the defaults below',
    example: '{"maxParts":60}',
    parse: serviceOptionsIn,
  }),
  fileRoots: variable({
    name: 'MEDIA_SERVICE_FILE_ROOTS',
    group: 'sources',
    meaning: 'Folders that files may be read from, separated as in PATH.',
    whenUnset: 'the folder in which the command or its worker was started',
    example: '/srv/media:/srv/incoming',
    paths: 'list',
    parse: as.pathList,
  }),
  sourceHosts: variable({
    name: 'MEDIA_SERVICE_SOURCE_HOSTS',
    group: 'sources',
    meaning: 'Private or loopback hosts that source URLs may point at, separated by commas.',
    whenUnset: 'public hosts only',
    example: 'nas.local,10.0.0.7',
    parse: as.hostList,
  }),
  host: variable({
    name: 'MEDIA_SERVICE_HOST',
    group: 'sources',
    meaning: 'Name of this machine; uploads of its files wait for a worker with this name.',
    whenUnset: "the machine's host name",
    example: 'ingest-1',
    parse: as.text,
  }),
  spoolDir: variable({
    name: 'MEDIA_SERVICE_SPOOL_DIR',
    group: 'sources',
    meaning:
      'Folder for copies of sources without Range requests, and for files that are sent to the HTTP door.',
    whenUnset: 'such sources are refused; a worker with `--http` makes a folder of its own',
    example: '/var/spool/media-service',
    paths: 'one',
    parse: as.text,
  }),
  outputRoots: variable({
    name: 'MEDIA_SERVICE_OUTPUT_ROOTS',
    group: 'sources',
    meaning: 'Folders that batches and reports may be written to, separated as in PATH.',
    whenUnset: 'the folder in which the command or its worker was started',
    example: '/srv/batches:/srv/reports',
    paths: 'list',
    parse: as.pathList,
  }),
  secrets: variable({
    name: 'MEDIA_SERVICE_SECRETS',
    group: 'sources',
    meaning: 'Secrets by name: a JSON file, or a folder with a file for each; read again at each use.',
    whenUnset: 'requests that name a secret are refused',
    example: '/run/secrets/media-service',
    paths: 'one',
    parse: as.text,
  }),
  s3Endpoint: variable({
    name: 'MEDIA_SERVICE_S3_ENDPOINT',
    group: 'sources',
    meaning: "Address of S3 if it isn't Amazon's.",
    whenUnset: "Amazon's",
    example: 'https://minio.example:9000',
    parse: as.httpUrl,
  }),
  s3Buckets: variable({
    name: 'MEDIA_SERVICE_S3_BUCKETS',
    group: 'sources',
    meaning: 'Buckets that may be read and written, separated by commas.',
    whenUnset: 'all that the credentials allow',
    example: 'incoming,reports',
    parse: as.bucketList,
  }),
  queuePrefix: variable({
    name: 'MEDIA_SERVICE_QUEUE_PREFIX',
    group: 'temporal',
    meaning: "First part of every task queue's name.",
    whenUnset: '`media-service`',
    example: 'media-service',
    parse: as.text,
  }),
  codecKey: variable({
    name: 'MEDIA_SERVICE_CODEC_KEY',
    group: 'temporal',
    meaning:
      'Keys that encrypt what Temporal stores, as `id:base64` of 32 bytes each, separated by commas; the first one encrypts.',
    whenUnset: 'titles and tags are readable in Temporal',
    example: '2026a:… (openssl rand -base64 32)',
    secret: true,
    parse: as.codecKeys,
  }),
  temporalAddress: variable({
    name: 'TEMPORAL_ADDRESS',
    group: 'temporal',
    meaning: 'Host and port of the Temporal server.',
    whenUnset: '`localhost:7233`, or what the profile says',
    example: 'localhost:7233',
    parse: as.hostAndPort,
  }),
  temporalApiKey: variable({
    name: 'TEMPORAL_API_KEY',
    group: 'temporal',
    meaning: 'API key of Temporal Cloud; turns TLS on.',
    whenUnset: 'none, or what the profile says',
    example: '(the key as you were given it)',
    secret: true,
    parse: as.text,
  }),
  temporalTls: variable({
    name: 'TEMPORAL_TLS',
    group: 'temporal',
    meaning: 'Whether the connection to Temporal is encrypted.',
    whenUnset: 'on with an API key or certificates, else off',
    example: 'true',
    parse: as.yesOrNo,
  }),
  accounts: variable({
    name: 'MEDIA_SERVICE_ACCOUNTS',
    group: 'workers',
    meaning:
      'JSON file, or folder of JSON files, with the accounts that a worker serves, read when it starts.',
    whenUnset: 'the worker serves the account in its environment variables; setting both is an error',
    example: '/etc/media-service/accounts',
    paths: 'one',
    parse: as.text,
  }),
  buildId: variable({
    name: 'MEDIA_SERVICE_BUILD_ID',
    group: 'workers',
    meaning:
      'Build id of this worker; turns worker versioning on, so that running uploads end with the build that began them.',
    whenUnset: 'no versioning',
    example: '0.1.0',
    parse: as.text,
  }),
  tuning: variable({
    name: 'MEDIA_SERVICE_TUNING',
    group: 'workers',
    meaning:
      'JSON for what is rarely tuned: `storageLimits` of a worker; for tests `heartbeatMs`, `smallFileBytes` and `pageRows`.',
    whenUnset: 'the defaults',
    example: '{"storageLimits":{"storage.media.example":20,"*":50}}',
    parse: as.tuning,
  }),
} as const;
