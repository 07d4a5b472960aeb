import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../../api/clock';
import type { SimulatorOptions } from '../../../simulator/options';
import type { Simulator } from '../../../simulator/simulator';
import { startSimulator } from '../../../simulator/start-simulator';
import { connectTemporal } from '../../../temporal/client/connect';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { runWorker } from '../../../temporal/worker/run-worker';
import { CleanUp } from '../../support/clean-up';
import { writeSourceFile } from '../../support/source-file';
import { createTempDir } from '../../support/temp-dir';
import type { TempDir } from '../../support/temp-dir';
import { sharedTemporal } from '../../support/servers';
import type { SharedTemporal } from '../../support/servers';
import { untilPolled } from '../../support/until-polled';
import { testWorkflowBundle } from '../../support/workflow-bundle';
import { credentialOf } from './credential';
import { runNode } from './run-workflow';
import type { NodeRun } from './run-workflow';
import { useOpened } from './use-opened';

export const HOST = 'n8n-test-host';
const MIB = 1024 * 1024;

/** A simulator, a worker of its account on the shared Temporal server, and a folder that n8n and the worker share. */
export interface UploadSetting {
  readonly simulator: Simulator;
  readonly connection: TemporalConnection;
  readonly folder: TempDir;
  readonly credentials: {
    readonly mediaServiceApi: ICredentialDataDecryptedObject;
    readonly mediaServiceTemporalApi: ICredentialDataDecryptedObject;
  };
  /** Writes a file of `mib` MiB, and returns its path and SHA-256. */
  writeFile(name: string, mib: number): Promise<{ readonly path: string; readonly sha256: string }>;
  /**
   * Starts another worker on that machine, with its own queue prefix if one is given. It ends with the setting at the
   * latest.
   */
  startWorker(host: string, queuePrefix?: string): Promise<void>;
  /** Runs an operation of the resource Upload, unless the parameters name another resource. */
  run(parameters: INodeParameters, more?: Partial<NodeRun>): ReturnType<typeof runNode>;
  close(): Promise<void>;
}

/** A setting for all tests of a file. */
export const useUploadSetting = (options: SimulatorOptions = {}): UploadSetting =>
  useOpened(() => openUploadSetting(options));

async function openUploadSetting(options: SimulatorOptions): Promise<UploadSetting> {
  const cleanUp = new CleanUp();
  return cleanUp.orUndo(async () => {
    const folder = await createTempDir('n8n-upload');
    cleanUp.add(() => folder.remove());
    const temporal = sharedTemporal();
    const simulator = await startSimulator({
      seed: { media: 3, deliveries: 3 },
      processingMs: 30,
      ...options,
    });
    cleanUp.add(() => simulator.close());
    const { address, namespace } = temporal;
    const queuePrefix = `n8n-${randomBytes(4).toString('hex')}`;
    const parts = { simulator, temporal, queuePrefix, folder: folder.path, host: HOST };
    const { queues, stop } = await startWorker(parts);
    cleanUp.add(stop);
    const connection = await connectTemporal({ address, namespace });
    cleanUp.add(() => connection.close());
    await untilPolled(connection, queues);
    const credentials = {
      mediaServiceApi: credentialOf(simulator),
      mediaServiceTemporalApi: { address, namespace, authentication: 'none', taskQueuePrefix: queuePrefix },
    };
    return {
      simulator,
      connection,
      folder,
      credentials,
      async writeFile(name, mib) {
        const path = join(folder.path, name);
        return { path, sha256: await writeSourceFile(path, Math.floor(mib * MIB), name) };
      },
      async startWorker(host, prefix = queuePrefix) {
        const other = await startWorker({ ...parts, host, queuePrefix: prefix });
        cleanUp.add(other.stop);
      },
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
      close: () => cleanUp.run(),
    };
  });
}

interface WorkerParts {
  readonly simulator: Simulator;
  readonly temporal: SharedTemporal;
  readonly queuePrefix: string;
  readonly folder: string;
  readonly host: string;
}

interface Running {
  readonly queues: readonly string[];
  stop(): Promise<void>;
}

async function startWorker(parts: WorkerParts): Promise<Running> {
  const { simulator, temporal, queuePrefix, folder, host } = parts;
  const { baseUrl, uploadUrl, account } = simulator;
  const stopping = new AbortController();
  const codePath = await testWorkflowBundle();
  const spoolDir = join(folder, 'spool');
  await mkdir(spoolDir, { recursive: true });
  const config = {
    temporal: { address: temporal.address, namespace: temporal.namespace },
    accounts: [{ account: { baseUrl, uploadUrl, ...account }, options: {} }],
    queuePrefix,
    host,
    roots: [folder],
    outputRoots: [folder],
    sourceHosts: ['127.0.0.1'],
    spoolDir,
    shutdownGraceMs: 0,
    logLevel: 'error',
  } as const;
  let running: Promise<void> = Promise.resolve();
  const queues = await new Promise<readonly string[]>((onReady, onFailure) => {
    running = runWorker(config, {
      signal: stopping.signal,
      onReady,
      writeLog: () => undefined,
      workflowBundle: { codePath },
      clock: systemClock,
    });
    running.catch(onFailure);
  });
  return {
    queues,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
