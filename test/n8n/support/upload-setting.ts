import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { fastClock } from '../../support/hasty-clock';
import { writeMibFile } from '../../support/source-file';
import type { WrittenFile } from '../../support/source-file';
import { openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import { startTestGateway } from '../../support/gateway-fixture';
import type { TestGateway } from '../../support/gateway-fixture';
import { credentialOf } from './credential';
import { runNode } from './run-workflow';
import type { NodeRun } from './run-workflow';
import { useOpened } from './use-opened';

export const HOST = 'n8n-test-host';

/** A simulator, a worker of its account on the shared Temporal server, and its HTTP door. */
export interface UploadSetting extends Omit<UploadFixture, 'startWorker' | 'writeFile'> {
  readonly credentials: {
    readonly mediaServiceApi: ICredentialDataDecryptedObject;
    readonly mediaServiceWorkerApi: ICredentialDataDecryptedObject;
  };
  /** Writes a file of `mib` MiB, and returns its path and SHA-256. */
  writeFile(name: string, mib: number): Promise<WrittenFile>;
  readonly gateway: TestGateway;
  /** The credential of a door to workers that nobody runs. */
  nobody(): Promise<UploadSetting['credentials']>;
  /** Starts another worker on that machine. It ends with the setting at the latest. */
  startWorker(host: string): Promise<void>;
  /** Uploads a path of the worker and returns every field, or runs another operation of Upload or another resource. */
  run(parameters: INodeParameters, more?: Partial<NodeRun>): ReturnType<typeof runNode>;
}

/** A setting for all tests of a file. */
export const useUploadSetting = (): UploadSetting => useOpened(openUploadSetting);

async function openUploadSetting(): Promise<UploadSetting> {
  const fixture = await openUploadFixture({ simulator: { processingMs: 30 }, additionalUrls: false });
  const { simulator, folder } = fixture;
  const spoolDir = join(folder, 'spool');
  await mkdir(spoolDir);
  const startWorker = async (host: string): Promise<void> => {
    await fixture.startWorker({ host, spoolDir });
  };
  await startWorker(HOST);
  const own = { host: HOST, roots: [folder], outputRoots: [folder], spoolDir };
  const gateway = await startTestGateway(fixture, { worker: own, postTo: ['127.0.0.1'] });
  const credentials = {
    mediaServiceApi: credentialOf(simulator),
    mediaServiceWorkerApi: credentialOfWorker(gateway),
  };
  const lonely: TestGateway[] = [];
  return {
    ...fixture,
    credentials,
    gateway,
    async nobody() {
      const door = await startTestGateway(fixture, { queuePrefix: 'nobody', worker: own }, fastClock());
      lonely.push(door);
      return { ...credentials, mediaServiceWorkerApi: credentialOfWorker(door) };
    },
    writeFile: (name, mib) => writeMibFile(folder, name, mib),
    startWorker,
    run: (parameters, more = {}) =>
      runNode({
        parameters: {
          ...{ resource: 'upload', runIn: 'worker', by: 'workflowId' },
          ...('operation' in parameters ? {} : { operation: 'upload', simplify: false }),
          ...('path' in parameters ? { source: 'path' } : {}),
          ...parameters,
        },
        credentials,
        ...more,
      }),
    async close() {
      await Promise.all([gateway, ...lonely].map((door) => door.stop()));
      await fixture.close();
    },
  };
}

/** The columns of a batch from items, each with a value of its own. */
export const columnsOf = (value: Readonly<Record<string, string>>): INodeParameters => ({
  columns: { mappingMode: 'defineBelow', value, matchingColumns: [], schema: [] },
});

/** "Media Service Worker API" as a user fills it in for a door. */
export function credentialOfWorker({ url, token }: TestGateway): ICredentialDataDecryptedObject {
  return { url, token };
}
