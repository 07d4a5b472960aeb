import * as as from './value-parsers';
import { variable } from './variable';

/**
 * Variables of a worker in production, besides account and sources. `--bandwidth` of `media-service worker` is
 * also a flag.
 */
export const WORKER_VARIABLES = {
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
  bandwidth: variable({
    name: 'MEDIA_SERVICE_BANDWIDTH',
    group: 'workers',
    meaning: 'Max bytes per second that one worker sends to storage, over all its parts; 1 MB/s at least.',
    whenUnset: 'no limit',
    example: '50MB/s',
    parse: as.bytesPerSecond,
  }),
  storageLimits: variable({
    name: 'MEDIA_SERVICE_STORAGE_LIMITS',
    group: 'workers',
    meaning:
      'Max parts per second that one worker sends to a storage host, as `host=parts`; `*`: every other host.',
    whenUnset: 'no limit',
    example: 'storage.media.example=20 *=50',
    parse: as.partsPerSecondByHost,
  }),
  deployment: variable({
    name: 'MEDIA_SERVICE_DEPLOYMENT',
    group: 'workers',
    meaning: 'Name of the worker deployment that the build id belongs to.',
    whenUnset: '`media-service`',
    example: 'media-service',
    parse: as.deploymentName,
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
      'For tests: options of started uploads and batches, as JSON with `heartbeatMs`, `smallFileBytes` and `pageRows`.',
    whenUnset: 'the defaults',
    example: '{"heartbeatMs":10000}',
    parse: as.tuning,
  }),
  tracesEndpoint: variable({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    group: 'workers',
    meaning: 'Where command and worker send OpenTelemetry traces to (OTLP over http, JSON).',
    whenUnset: 'no traces',
    example: 'http://localhost:4318',
    parse: as.httpUrl,
  }),
} as const;
