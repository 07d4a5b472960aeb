import * as as from './value-parsers';
import { variable } from './variable';

/** The locations of source files, working files, batches and reports. */
export const SOURCE_VARIABLES = {
  fileRoots: variable({
    name: 'MEDIA_SERVICE_FILE_ROOTS',
    group: 'sources',
    meaning: 'Folders that files may be read from, separated as in PATH.',
    whenUnset: 'CLI and its worker: the folder they were started in; n8n: none',
    example: '/srv/media:/srv/incoming',
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
    meaning:
      'Name of this machine. Uploads of its files wait for a worker with this name, so it must stay the same after a restart.',
    whenUnset: "the machine's host name",
    example: 'ingest-1',
    parse: as.text,
  }),
  spoolDir: variable({
    name: 'MEDIA_SERVICE_SPOOL_DIR',
    group: 'sources',
    meaning: 'Folder for copies of sources without Range requests.',
    whenUnset:
      "such sources are refused; n8n: `spool` in MEDIA_SERVICE_STATE_DIR, else `media-service/spool` in n8n's data folder, else a private folder among temporary files",
    example: '/var/spool/media-service',
    parse: as.text,
  }),
  outputRoots: variable({
    name: 'MEDIA_SERVICE_OUTPUT_ROOTS',
    group: 'sources',
    meaning: 'Folders that batches and reports may be written to, separated as in PATH.',
    whenUnset: 'CLI and its worker: the folder they were started in',
    example: '/srv/batches:/srv/reports',
    parse: as.pathList,
  }),
  secrets: variable({
    name: 'MEDIA_SERVICE_SECRETS',
    group: 'sources',
    meaning: 'Secrets by name: a JSON file, or a folder with a file for each; read again at each use.',
    whenUnset: 'what names a secret is refused',
    example: '/run/secrets/media-service',
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
  s3Region: variable({
    name: 'MEDIA_SERVICE_S3_REGION',
    group: 'sources',
    meaning: 'Region of the buckets.',
    whenUnset: 'what AWS_REGION or the profile says, else `us-east-1`',
    example: 'eu-central-1',
    parse: as.text,
  }),
  s3PathStyle: variable({
    name: 'MEDIA_SERVICE_S3_PATH_STYLE',
    group: 'sources',
    meaning: 'Whether the bucket is in the path of addresses instead of their host name.',
    whenUnset: '`true` with MEDIA_SERVICE_S3_ENDPOINT, else `false`',
    example: 'false',
    parse: as.yesOrNo,
  }),
  s3Buckets: variable({
    name: 'MEDIA_SERVICE_S3_BUCKETS',
    group: 'sources',
    meaning: 'Buckets that may be read and written, separated by commas.',
    whenUnset: 'all that the credentials allow',
    example: 'incoming,reports',
    parse: as.bucketList,
  }),
  stateDir: variable({
    name: 'MEDIA_SERVICE_STATE_DIR',
    group: 'sources',
    meaning:
      'Folder in which uploads that run inside n8n keep their journals, so that the next run continues or joins them.',
    whenUnset: 'n8n: `media-service` in its data folder, readable only by its user',
    example: '/home/node/.n8n/media-service',
    parse: as.text,
  }),
} as const;
