import type { S3Server } from './s3-server';
import type { TemporalServer } from './temporal-server';

/** Jest passes only environment variables on to test files. */
const VARIABLE = 'MEDIA_SERVICE_TEST_SERVERS';

interface SharedServers {
  readonly temporal: Pick<TemporalServer, 'address' | 'namespace'>;
  readonly s3: Pick<S3Server, 'endpoint' | 'accessKey' | 'secretKey' | 'region' | 'objectDir'>;
}

/** The Temporal server that all integration tests share: use your own task queue and workflow IDs. */
export function sharedTemporal(): SharedServers['temporal'] {
  return shared().temporal;
}

/** The S3 server that all integration tests share: use your own bucket. */
export function sharedS3(): SharedServers['s3'] {
  return shared().s3;
}

export function announceServers(servers: SharedServers): void {
  process.env[VARIABLE] = JSON.stringify(servers);
}

function shared(): SharedServers {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error('The shared servers run in the integration project only.');
  return JSON.parse(text) as SharedServers;
}

/** The variables with which a command reads and writes objects of `sharedS3`. */
export function s3Env(): Record<string, string> {
  const { accessKey, secretKey, endpoint, region } = sharedS3();
  return {
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
    MEDIA_SERVICE_S3_ENDPOINT: endpoint,
    AWS_REGION: region,
  };
}
