import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { IBinaryData, IDataObject, INodeParameters } from 'n8n-workflow';
import { CleanUp } from '../../../support/clean-up';
import { createTempDir } from '../../../support/temp-dir';
import { createCredential, importWorkflow, runWorkflow, startExecution } from '../../support/n8n-executions';
import type { Execution } from '../../support/n8n-executions';
import type { N8nProcess } from '../../support/n8n-process';
import { NODE_NAME, nodeOf, workflowOf } from '../../support/n8n-stage';
import type { StoredCredentials } from '../../support/n8n-stage';
import { openServiceFixture } from '../../support/service-fixture';
import type { ServiceFixture, ServiceFixtureOptions } from '../../support/service-fixture';
import { startN8n, startN8nWorker } from '../../support/start-n8n';
import type { RunningN8n } from '../../support/start-n8n';
import { startRandomServer } from './random-server';
import type { RandomServer } from './random-server';
import { startPostgres } from './start-postgres';
import { startRedis } from './start-redis';

/** Who sends the file. A worker fetches it from n8n's signed address. */
export type Sender = 'n8n' | 'worker';

export interface QueueStageOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Environment variables that depend on the service fixture. */
  readonly envOf?: (
    fixture: ServiceFixture,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  readonly service?: ServiceFixtureOptions;
}

/** n8n in queue mode (one main process, one worker, Redis and PostgreSQL), and the services that our node uses. */
export interface QueueStage {
  readonly n8n: RunningN8n;
  readonly worker: N8nProcess;
  readonly fixture: ServiceFixture;
  readonly files: RandomServer;
  readonly credentials: Readonly<Record<Sender, StoredCredentials>>;
  /** Copies that are still in the folders for uploads. */
  leftovers(): Promise<string[]>;
  /** Removes stored uploads, to free the disk. */
  forgetObjects(): Promise<void>;
  /** Lets n8n's worker fetch a file with an HTTP Request node. Returns the item's binary data, as n8n keeps it. */
  fetchFile(name: string, bytes: number): Promise<IBinaryData>;
  /** Imports a workflow that uploads this binary data, and returns its ID. */
  importUpload(binary: IBinaryData, sender: Sender, parameters?: INodeParameters): Promise<string>;
  /** Runs a workflow to its end; rejects unless n8n's worker ran it. */
  run(workflowId: string): Promise<Execution>;
  /** How often n8n's processes have read a file's bytes from the database. */
  databaseReads(): Promise<number>;
  /** Starts a workflow, and returns the ID of the execution. */
  start(workflowId: string): Promise<string>;
  close(): Promise<void>;
}

/** A stage for all tests of a file. */
export function useQueueStage(options: QueueStageOptions = {}): { readonly stage: QueueStage } {
  let stage: QueueStage | undefined;
  beforeAll(async () => {
    stage = await openQueueStage(options);
  });
  afterEach(() => stage?.forgetObjects());
  afterAll(() => stage?.close());
  return {
    get stage() {
      if (stage === undefined) throw new Error('The stage is made before the first test.');
      return stage;
    },
  };
}

async function openQueueStage(options: QueueStageOptions): Promise<QueueStage> {
  const cleanUp = new CleanUp();
  return cleanUp.orUndo(() => open(options, cleanUp));
}

async function open({ env, envOf, service }: QueueStageOptions, cleanUp: CleanUp): Promise<QueueStage> {
  const dir = await createTempDir('queue');
  cleanUp.add(() => dir.remove());
  const userFolder = join(dir.path, 'n8n');
  await mkdir(userFolder);
  const fixture = await openServiceFixture(service);
  cleanUp.add(() => fixture.close());
  const postgres = await startPostgres(dir.path);
  cleanUp.add(() => postgres.stop());
  const redis = await startRedis();
  cleanUp.add(() => redis.stop());
  const files = await startRandomServer();
  cleanUp.add(() => files.close());
  const n8n = await startN8n({
    userFolder,
    env: {
      ...queueMode(postgres, redis),
      ...env,
      ...(await envOf?.(fixture)),
    },
  });
  cleanUp.add(() => n8n.stop());
  const worker = await startN8nWorker(n8n);
  cleanUp.add(() => worker.end());
  const credentials = await storeCredentials(n8n, fixture);
  const start = (workflowId: string): Promise<string> => startExecution(n8n.rest, workflowId, 'Start');
  const run = async (workflowId: string): Promise<Execution> => {
    const execution = await runWorkflow(n8n.rest, workflowId);
    if (worker.log().includes(`Worker started execution ${execution.id} `)) return execution;
    throw new Error(`Execution ${execution.id} did not run on n8n's worker.`);
  };
  return {
    n8n,
    worker,
    fixture,
    files,
    credentials,
    async leftovers() {
      const folders = [fixture.folder, join(fixture.folder, 'spool')];
      const names = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
      return names
        .flat()
        .filter((name) => !['spool', 'tokens.json'].includes(name) && !name.endsWith('.claimed'));
    },
    start,
    run,
    async databaseReads() {
      return (await postgres.statements(/SELECT "[^"]+"\."data" AS .* FROM "(public"\.")?binary_data"/))
        .length;
    },
    async forgetObjects() {
      const keys = fixture.simulator.seen().sessions.map(({ keyName }) => keyName);
      await Promise.all(keys.map((key) => rm(join(fixture.s3.objectDir, key), { force: true })));
    },
    async fetchFile(name, bytes) {
      const id = await importWorkflow(n8n.rest, fetchWorkflow(files.url(name, bytes)));
      const execution = await run(id);
      const binary = execution.output('Fetch')[0]?.binary?.['data'];
      if (binary === undefined) throw new Error(`n8n fetched nothing: ${execution.error?.message ?? '?'}`);
      return binary;
    },
    importUpload(binary, sender, parameters = {}) {
      const upload = {
        resource: 'upload',
        operation: 'upload',
        runIn: sender,
        source: 'binary',
        simplify: false,
        ...parameters,
      };
      const workflow = workflowOf(upload, {
        items: [{ json: {}, binary: { data: binary } }],
        credentials: credentials[sender],
      });
      return importWorkflow(n8n.rest, workflow);
    },
    close: () => cleanUp.run(),
  };
}

function queueMode(
  postgres: { readonly port: number; readonly user: string; readonly database: string },
  redis: { readonly port: number },
): Record<string, string> {
  return {
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: '127.0.0.1',
    DB_POSTGRESDB_PORT: String(postgres.port),
    DB_POSTGRESDB_USER: postgres.user,
    DB_POSTGRESDB_DATABASE: postgres.database,
    // Files of hundreds of MB keep n8n and PostgreSQL busy for seconds. n8n answers 503 after a ping of 5 s without an answer.
    DB_PING_TIMEOUT_MS: '120000',
    EXECUTIONS_MODE: 'queue',
    QUEUE_BULL_REDIS_HOST: '127.0.0.1',
    QUEUE_BULL_REDIS_PORT: String(redis.port),
    // The tests press the editor's button. Without this setting the main process would run such executions itself.
    OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
  };
}

/** The `credentials` of the node, depending on who sends. */
async function storeCredentials(
  n8n: RunningN8n,
  fixture: ServiceFixture,
): Promise<Record<Sender, StoredCredentials>> {
  const store = async (name: string, type: string, data: IDataObject): Promise<StoredCredentials> => ({
    [type]: await createCredential(n8n.rest, { name, type, data }),
  });
  const { mediaServiceApi, mediaServiceWorkerApi } = fixture.credentials;
  return {
    n8n: await store('Service', 'mediaServiceApi', mediaServiceApi),
    worker: await store('Worker', 'mediaServiceWorkerApi', mediaServiceWorkerApi),
  };
}

function fetchWorkflow(url: string): ReturnType<typeof workflowOf> {
  const { nodes, connections } = workflowOf({}, {});
  const options = { response: { response: { responseFormat: 'file', outputPropertyName: 'data' } } };
  const fetchNode = { ...nodeOf('Fetch', 'n8n-nodes-base.httpRequest', { url, options }), typeVersion: 4.2 };
  return {
    nodes: [...nodes.filter(({ name }) => name !== NODE_NAME), fetchNode],
    connections: { ...connections, Start: { main: [[{ node: 'Fetch', type: 'main', index: 0 }]] } },
  };
}
