import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import type { SimulatorOptions } from '../../../simulator/options';
import { systemClock } from '../../../api/clock';
import { writeSourceFile } from '../../support/source-file';
import { MIB, openUploadFixture } from '../../support/upload-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import { credentialOf } from './credential';
import { runNode } from './run-workflow';
import type { NodeRun } from './run-workflow';
import { useOpened } from './use-opened';

export const HOST = 'n8n-test-host';

/** A simulator, a worker of its account on the shared Temporal server, and a folder that n8n and the worker share. */
export interface UploadSetting extends Pick<UploadFixture, 'simulator' | 'connection' | 'folder' | 'close'> {
  readonly credentials: {
    readonly mediaServiceApi: ICredentialDataDecryptedObject;
    readonly mediaServiceTemporalApi: ICredentialDataDecryptedObject;
  };
  /** Writes a file of `mib` MiB, and returns its path and SHA-256. */
  writeFile(name: string, mib: number): Promise<{ readonly path: string; readonly sha256: string }>;
  /** Starts another worker on that machine. It ends with the setting at the latest. */
  startWorker(host: string): Promise<void>;
  /** Runs an operation of the resource Upload, unless the parameters name another resource. */
  run(parameters: INodeParameters, more?: Partial<NodeRun>): ReturnType<typeof runNode>;
}

/** A setting for all tests of a file. */
export const useUploadSetting = (options: SimulatorOptions = {}): UploadSetting =>
  useOpened(() => openUploadSetting(options));

async function openUploadSetting(options: SimulatorOptions): Promise<UploadSetting> {
  const fixture = await openUploadFixture({
    simulator: { storage: 'builtin', processingMs: 30, ...options },
    additionalUrls: false,
  });
  const { simulator, connection, folder, config, queuePrefix } = fixture;
  const spoolDir = join(folder, 'spool');
  await mkdir(spoolDir);
  const startWorker = async (host: string): Promise<void> => {
    await fixture.startWorker({ host, spoolDir }, undefined, { clock: systemClock });
  };
  await startWorker(HOST);
  const credentials = {
    mediaServiceApi: credentialOf(simulator),
    mediaServiceTemporalApi: {
      address: config.temporal.address,
      namespace: config.temporal.namespace,
      authentication: 'none',
      taskQueuePrefix: queuePrefix,
    },
  };
  return {
    simulator,
    connection,
    folder,
    credentials,
    async writeFile(name, mib) {
      const path = join(folder, name);
      return { path, sha256: await writeSourceFile(path, Math.floor(mib * MIB), name) };
    },
    startWorker,
    run: (parameters, more = {}) =>
      runNode({
        parameters: {
          resource: 'upload',
          runIn: 'temporal',
          by: 'workflowId',
          // Return every field of the upload.
          ...(parameters['operation'] === 'upload' ? { simplify: false } : {}),
          ...parameters,
        },
        credentials,
        ...more,
      }),
    close: () => fixture.close(),
  };
}
