import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { createToken } from '../../../gateway/tokens';
import type { SimulatorOptions } from '../../../simulator/options';
import { writeMibFile } from '../../support/source-file';
import type { WrittenFile } from '../../support/source-file';
import { openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';

/** The worker's host name, which a path source also names. */
export const WORKER_HOST = 'e2e-host';

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

/** Everything that n8n connects to: the simulator over a real S3 server, and a worker in a process of its own. */
export interface ServiceFixture extends Omit<UploadFixture, 'writeFile'> {
  /** Process id of Temporal's worker. */
  readonly workerPid: number;
  /** What a user fills into the two credentials. */
  readonly credentials: Readonly<Record<'mediaServiceApi' | 'mediaServiceWorkerApi', IDataObject>>;
  /** Writes a file of `mib` MiB into `folder`, which the worker may read and write. */
  writeFile(name: string, mib: number): Promise<WrittenFile>;
}

export async function openServiceFixture(options: SimulatorOptions = {}): Promise<ServiceFixture> {
  const seed = { media: 30, deliveries: 60 };
  const fixture = await openUploadFixture({ simulator: { seed, account: ACCOUNT, ...options } });
  const { simulator, accountId, config, folder, queuePrefix } = fixture;
  const { temporal, accounts } = config;
  const spoolDir = join(folder, 'spool');
  await mkdir(spoolDir);
  const tokensFile = join(spoolDir, 'tokens.json');
  const token = await createToken({
    ...{ file: tokensFile, name: 'n8n', account: accountId, rights: ['read', 'start', 'control'] },
  });
  const worker = { host: WORKER_HOST, roots: [folder], outputRoots: [folder], spoolDir };
  const listen = { host: '127.0.0.1', port: 0 };
  const { pid, httpUrl } = await fixture.startWorkerProcess(worker, {
    gateway: {
      ...{ temporal, accounts, queuePrefix, tokensFile, listen, worker, postTo: [listen.host] },
      logLevel: 'error',
    },
  });
  return {
    ...fixture,
    workerPid: pid,
    credentials: {
      mediaServiceApi: {
        ...{ baseUrl: simulator.baseUrl, uploadUrl: simulator.uploadUrl, ...simulator.account },
      },
      mediaServiceWorkerApi: { url: httpUrl, token },
    },
    writeFile: (name, mib) => writeMibFile(folder, name, mib),
  };
}
