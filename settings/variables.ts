import * as as from './value-parsers';
import { serviceOptionsIn } from './service-options';

/** One environment variable: its name, and how to read its text. docs/configuration.md says what it is for. */
export interface Variable<T = unknown> {
  readonly name: string;
  /** A valid value, shown when another value was refused. */
  readonly example: string;
  /** True: never shown, and also read from the file in `<name>_FILE`. */
  readonly secret?: boolean;
  /** The value is a path, or several separated as in PATH. */
  readonly paths?: 'one' | 'list';
  /** Throws an `Error` whose message ends the sentence "<name> …". */
  parse(text: string): T;
}

/** Keeps the type of the value. */
function variable<T>(definition: Variable<T>): Variable<T> {
  return definition;
}

/** Every environment variable that this package reads. docs/configuration.md lists the same ones. */
export const VARIABLES = {
  baseUrl: variable({
    name: 'MEDIA_SERVICE_BASE_URL',
    example: 'https://api.media.example',
    parse: as.httpUrl,
  }),
  uploadUrl: variable({
    name: 'MEDIA_SERVICE_UPLOAD_URL',
    example: 'https://upload.media.example',
    parse: as.httpUrl,
  }),
  apiKey: variable({
    name: 'MEDIA_SERVICE_API_KEY',
    example: '(the key as you were given it)',
    secret: true,
    parse: as.text,
  }),
  secretKey: variable({
    name: 'MEDIA_SERVICE_SECRET_KEY',
    example: '(the key as you were given it)',
    secret: true,
    parse: as.text,
  }),
  previousSecretKeys: variable({
    name: 'MEDIA_SERVICE_PREVIOUS_SECRET_KEYS',
    example: '(the key before the last change)',
    secret: true,
    parse: as.secretList,
  }),
  externalId: variable({
    name: 'MEDIA_SERVICE_EXTERNAL_ID',
    example: 'acme-studio',
    parse: as.text,
  }),
  settings: variable({
    name: 'MEDIA_SERVICE_SETTINGS',
    example: '/etc/media-service/settings.env',
    parse: as.text,
  }),
  additionalUrls: variable({
    name: 'MEDIA_SERVICE_ADDITIONAL_URLS',
    example: 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}',
    parse: as.additionalUrlsRequest,
  }),
  options: variable({
    name: 'MEDIA_SERVICE_OPTIONS',
    example: '{"maxParts":60}',
    parse: serviceOptionsIn,
  }),
  fileRoots: variable({
    name: 'MEDIA_SERVICE_FILE_ROOTS',
    example: '/srv/media:/srv/incoming',
    paths: 'list',
    parse: as.pathList,
  }),
  sourceHosts: variable({
    name: 'MEDIA_SERVICE_SOURCE_HOSTS',
    example: 'nas.local,10.0.0.7',
    parse: as.hostList,
  }),
  host: variable({
    name: 'MEDIA_SERVICE_HOST',
    example: 'ingest-1',
    parse: as.text,
  }),
  spoolDir: variable({
    name: 'MEDIA_SERVICE_SPOOL_DIR',
    example: '/var/spool/media-service',
    paths: 'one',
    parse: as.text,
  }),
  outputRoots: variable({
    name: 'MEDIA_SERVICE_OUTPUT_ROOTS',
    example: '/srv/batches:/srv/reports',
    paths: 'list',
    parse: as.pathList,
  }),
  secrets: variable({
    name: 'MEDIA_SERVICE_SECRETS',
    example: '/run/secrets/media-service',
    paths: 'one',
    parse: as.text,
  }),
  s3Endpoint: variable({
    name: 'MEDIA_SERVICE_S3_ENDPOINT',
    example: 'https://minio.example:9000',
    parse: as.httpUrl,
  }),
  s3Buckets: variable({
    name: 'MEDIA_SERVICE_S3_BUCKETS',
    example: 'incoming,reports',
    parse: as.bucketList,
  }),
  queuePrefix: variable({
    name: 'MEDIA_SERVICE_QUEUE_PREFIX',
    example: 'media-service',
    parse: as.text,
  }),
  codecKey: variable({
    name: 'MEDIA_SERVICE_CODEC_KEY',
    example: '2026a:… (openssl rand -base64 32)',
    secret: true,
    parse: as.codecKeys,
  }),
  temporalAddress: variable({
    name: 'TEMPORAL_ADDRESS',
    example: 'localhost:7233',
    parse: as.hostAndPort,
  }),
  temporalApiKey: variable({
    name: 'TEMPORAL_API_KEY',
    example: '(the key as you were given it)',
    secret: true,
    parse: as.text,
  }),
  temporalTls: variable({
    name: 'TEMPORAL_TLS',
    example: 'true',
    parse: as.yesOrNo,
  }),
  accounts: variable({
    name: 'MEDIA_SERVICE_ACCOUNTS',
    example: '/etc/media-service/accounts',
    paths: 'one',
    parse: as.text,
  }),
  buildId: variable({
    name: 'MEDIA_SERVICE_BUILD_ID',
    example: '0.1.0',
    parse: as.text,
  }),
  tuning: variable({
    name: 'MEDIA_SERVICE_TUNING',
    example: '{"heartbeatMs":4000}',
    parse: as.tuning,
  }),
} as const;
