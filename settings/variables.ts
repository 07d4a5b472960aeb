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

function variable<T>(name: string, example: string, parse: (text: string) => T): Variable<T> {
  return { name, example, parse };
}

function secret<T>(name: string, example: string, parse: (text: string) => T): Variable<T> {
  return { ...variable(name, example, parse), secret: true };
}

function path(name: string, example: string): Variable<string> {
  return { ...variable(name, example, as.text), paths: 'one' };
}

function paths(name: string, example: string): Variable<readonly string[]> {
  return { ...variable(name, example, as.pathList), paths: 'list' };
}

/** Every environment variable that this package reads. docs/configuration.md lists the same ones. */
export const VARIABLES = {
  baseUrl: variable('MEDIA_SERVICE_BASE_URL', 'https://api.media.example', as.httpUrl),
  uploadUrl: variable('MEDIA_SERVICE_UPLOAD_URL', 'https://upload.media.example', as.httpUrl),
  apiKey: secret('MEDIA_SERVICE_API_KEY', '(the key as you were given it)', as.text),
  secretKey: secret('MEDIA_SERVICE_SECRET_KEY', '(the key as you were given it)', as.text),
  previousSecretKeys: secret(
    'MEDIA_SERVICE_PREVIOUS_SECRET_KEYS',
    '(the key before the last change)',
    as.secretList,
  ),
  externalId: variable('MEDIA_SERVICE_EXTERNAL_ID', 'acme-studio', as.text),
  settings: variable('MEDIA_SERVICE_SETTINGS', '/etc/media-service/settings.env', as.text),
  additionalUrls: variable(
    'MEDIA_SERVICE_ADDITIONAL_URLS',
    'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}',
    as.additionalUrlsRequest,
  ),
  options: variable('MEDIA_SERVICE_OPTIONS', '{"maxParts":60}', serviceOptionsIn),
  fileRoots: paths('MEDIA_SERVICE_FILE_ROOTS', '/srv/media:/srv/incoming'),
  sourceHosts: variable('MEDIA_SERVICE_SOURCE_HOSTS', 'nas.local,10.0.0.7', as.hostList),
  host: variable('MEDIA_SERVICE_HOST', 'ingest-1', as.text),
  spoolDir: path('MEDIA_SERVICE_SPOOL_DIR', '/var/spool/media-service'),
  outputRoots: paths('MEDIA_SERVICE_OUTPUT_ROOTS', '/srv/batches:/srv/reports'),
  secrets: path('MEDIA_SERVICE_SECRETS', '/run/secrets/media-service'),
  s3Endpoint: variable('MEDIA_SERVICE_S3_ENDPOINT', 'https://minio.example:9000', as.httpUrl),
  s3Buckets: variable('MEDIA_SERVICE_S3_BUCKETS', 'incoming,reports', as.bucketList),
  queuePrefix: variable('MEDIA_SERVICE_QUEUE_PREFIX', 'media-service', as.text),
  codecKey: secret('MEDIA_SERVICE_CODEC_KEY', '2026a:… (openssl rand -base64 32)', as.codecKeys),
  temporalAddress: variable('TEMPORAL_ADDRESS', 'localhost:7233', as.hostAndPort),
  temporalApiKey: secret('TEMPORAL_API_KEY', '(the key as you were given it)', as.text),
  temporalTls: variable('TEMPORAL_TLS', 'true', as.yesOrNo),
  accounts: path('MEDIA_SERVICE_ACCOUNTS', '/etc/media-service/accounts'),
  buildId: variable('MEDIA_SERVICE_BUILD_ID', '0.1.0', as.text),
  tuning: variable('MEDIA_SERVICE_TUNING', '{"heartbeatMs":4000}', as.tuning),
} as const;

/** The variable, and for a secret the one that names its file. */
export function namesOf({ name, secret: isSecret }: Variable): string[] {
  return isSecret === true ? [name, `${name}_FILE`] : [name];
}
