import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { SimulatorOptions } from '../../../simulator/options';
import type { Simulator } from '../../../simulator/start-simulator';
import { startSimulator } from '../../../simulator/start-simulator';
import type { WorkerConfig } from '../../../temporal/worker/worker-config';
import { accountId } from '../../../api/account';
import { createToken } from '../../../gateway/tokens';
import { startS3Server } from '../../support/s3-server';
import type { S3Server } from '../../support/s3-server';
import { writeSourceFile } from '../../support/source-file';
import { createTempDir } from '../../support/temp-dir';
import { startTemporalServer } from '../../support/temporal-server';
import type { TemporalServer } from '../../support/temporal-server';
import { startWorkerProcess } from '../../support/worker-process';
import type { WorkerProcess } from '../../support/worker-process';

/** The worker's host name, which a path source also names. */
export const WORKER_HOST = 'e2e-host';
const ADDITIONAL_URLS = 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}';
const MIB = 1024 * 1024;

/** Secrets to look for in what n8n stores. They are too long to occur by chance. */
export const ACCOUNT = {
  apiKey: 'canary-api-key-5d1c0f7e2b',
  secretKey: 'canary-secret-key-8e4ba93c61',
  externalId: 'demo-studio',
} as const;

/** The start of the second part of every access token that the simulator issues for this account. */
const TOKEN_TRACE = Buffer.from(`{"sub":"${ACCOUNT.externalId}"`).toString('base64url').slice(0, 24);

/** Texts that must not occur outside n8n's encrypted credentials: keys, tokens, signatures of pre-signed URLs. */
export const SECRET_TRACES = [ACCOUNT.apiKey, ACCOUNT.secretKey, TOKEN_TRACE, 'X-Amz-Signature'] as const;

export interface ServiceFixtureOptions {
  readonly simulator?: SimulatorOptions;
  /** False: starts neither a Temporal server nor a worker. Default true. */
  readonly temporal?: boolean;
}

/**
 * Everything that n8n connects to: the simulator over a real S3 server that the worker also reads, a Temporal server,
 * and a worker in a process of its own.
 */
export interface ServiceFixture {
  readonly simulator: Simulator;
  readonly s3: S3Server;
  readonly temporal: TemporalServer | undefined;
  /** Process id of Temporal's worker. */
  readonly workerPid: number | undefined;
  /** A folder that the worker may read and write. */
  readonly folder: string;
  /** What a user fills into the two credentials. `mediaServiceWorkerApi` requires `temporal`. */
  readonly credentials: {
    readonly mediaServiceApi: IDataObject;
    readonly mediaServiceWorkerApi: IDataObject;
  };
  /** Writes a file of `mib` MiB into `folder`. */
  writeFile(name: string, mib: number): Promise<{ readonly path: string; readonly sha256: string }>;
  /** SHA-256 of the stored content of a session. */
  storedSha256(uploadId: unknown): Promise<string>;
  close(): Promise<void>;
}

export async function openServiceFixture(options: ServiceFixtureOptions = {}): Promise<ServiceFixture> {
  const [s3, temporal, dir] = await Promise.all([
    startS3Server(),
    options.temporal === false ? undefined : startTemporalServer(),
    createTempDir('e2e'),
  ]);
  const { endpoint, accessKey, secretKey, region } = s3;
  const bucket = `e2e-${randomBytes(6).toString('hex')}`;
  const simulator = await startSimulator({
    s3: { endpoint, accessKey, secretKey, region, bucket },
    seed: { media: 30, deliveries: 60 },
    processingMs: 50,
    account: ACCOUNT,
    ...options.simulator,
  });
  const queuePrefix = `e2e-${randomBytes(4).toString('hex')}`;
  const worker =
    temporal === undefined
      ? undefined
      : await startWorker({ simulator, s3, temporal, queuePrefix, folder: dir.path });
  return {
    simulator,
    s3,
    temporal,
    workerPid: worker?.process.pid,
    folder: dir.path,
    credentials: {
      mediaServiceApi: {
        baseUrl: simulator.baseUrl,
        uploadUrl: simulator.uploadUrl,
        ...simulator.account,
      },
      mediaServiceWorkerApi: { url: worker?.process.httpUrl ?? '', token: worker?.token ?? '' },
    },
    async writeFile(name, mib) {
      const path = join(dir.path, name);
      return { path, sha256: await writeSourceFile(path, Math.floor(mib * MIB), name) };
    },
    async storedSha256(uploadId) {
      const session = simulator.seen().sessions.find((one) => one.uploadId === uploadId);
      if (session === undefined) throw new Error(`The service knows no upload ${String(uploadId)}.`);
      return simulator.objectSha256(session.keyName);
    },
    async close() {
      await worker?.process.kill('SIGTERM');
      await simulator.close();
      await Promise.all([temporal?.stop(), s3.stop()]);
      await dir.remove();
    },
  };
}

interface WorkerParts {
  readonly simulator: Simulator;
  readonly s3: S3Server;
  readonly temporal: TemporalServer;
  readonly queuePrefix: string;
  readonly folder: string;
}

/** A worker with its HTTP door in a process of its own, and a token. */
async function startWorker(
  parts: WorkerParts,
): Promise<{ readonly process: WorkerProcess; readonly token: string }> {
  const { simulator, s3, temporal, queuePrefix, folder } = parts;
  const { endpoint, region, accessKey, secretKey } = s3;
  const { baseUrl, uploadUrl, account } = simulator;
  const spoolDir = join(folder, 'spool');
  await mkdir(spoolDir);
  const config: WorkerConfig = {
    temporal: { address: temporal.address, namespace: temporal.namespace },
    accounts: [{ account: { baseUrl, uploadUrl, ...account }, options: { additionalUrls: ADDITIONAL_URLS } }],
    queuePrefix,
    host: WORKER_HOST,
    roots: [folder],
    outputRoots: [folder],
    sourceHosts: ['127.0.0.1'],
    spoolDir,
    s3: { endpoint, region },
    shutdownGraceMs: 0,
    logLevel: 'error',
  };
  const tokensFile = join(folder, 'spool', 'tokens.json');
  const token = await createToken({
    ...{ file: tokensFile, name: 'n8n', rights: ['read', 'start', 'control'] },
    account: accountId({ baseUrl, uploadUrl, externalId: account.externalId }),
  });
  const process = await startWorkerProcess(config, {
    env: { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey },
    gateway: {
      ...{ temporal: config.temporal, accounts: config.accounts, queuePrefix, tokensFile, logLevel: 'error' },
      listen: { host: '127.0.0.1', port: 0 },
      postTo: ['127.0.0.1'],
      worker: { host: WORKER_HOST, roots: [folder], outputRoots: [folder], spoolDir },
    },
  });
  return { process, token };
}
