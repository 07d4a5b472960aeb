import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IBinaryData } from 'n8n-workflow';
import { createTempDir } from '../../../support/temp-dir';
import { useOpened } from '../../../n8n/support/use-opened';
import { importWorkflow, runWorkflow } from '../../support/n8n-executions';
import type { Execution } from '../../support/n8n-executions';
import type { N8nProcess } from '../../support/n8n-process';
import { NODE_NAME, nodeOf, openStage, workflowOf } from '../../support/n8n-stage';
import type { Stage } from '../../support/n8n-stage';
import { startN8nWorker } from '../../support/start-n8n';
import { startRandomServer } from './random-server';
import { startPostgres } from './start-postgres';
import type { Postgres } from './start-postgres';
import { startRedis } from './start-redis';

/** Who sends the file. A worker fetches it from n8n's signed address. */
export type Sender = 'n8n' | 'worker';

type Environment = Readonly<Record<string, string>>;

/** n8n in queue mode (one main process, one worker, Redis and PostgreSQL), and the services that our node uses. */
export interface QueueStage extends Stage {
  readonly worker: N8nProcess;
  /** Copies that are still in the folders for uploads. */
  leftovers(): Promise<string[]>;
  /** Lets n8n's worker fetch a file with an HTTP Request node. Returns the item's binary data, as n8n keeps it. */
  fetchFile(name: string, bytes: number): Promise<IBinaryData>;
  /** Imports a workflow that uploads this binary data, and returns its ID. */
  importUpload(binary: IBinaryData, sender: Sender): Promise<string>;
  /** Runs a workflow to its end; rejects unless n8n's worker ran it. */
  runOnWorker(workflowId: string): Promise<Execution>;
}

/** A stage for all tests of a file. `env`: environment variables besides those of queue mode. */
export const useQueueStage = (env?: () => Promise<Environment>): QueueStage =>
  useOpened(() => openQueueStage(env));

async function openQueueStage(env?: () => Promise<Environment>): Promise<QueueStage> {
  const stage = await openStage({
    async env(_fixture, cleanUp) {
      const dir = await createTempDir('queue');
      cleanUp.add(() => dir.remove());
      const postgres = await startPostgres(dir.path);
      cleanUp.add(() => postgres.stop());
      const redis = await startRedis();
      cleanUp.add(() => redis.stop());
      return { ...queueMode(postgres, redis), ...(await env?.()) };
    },
  });
  const { n8n, fixture, credentials, cleanUp } = stage;
  const worker = await cleanUp.orUndo(() => startN8nWorker(n8n));
  cleanUp.add(() => worker.end());
  const files = await startRandomServer();
  cleanUp.add(() => files.close());
  const runOnWorker = async (workflowId: string): Promise<Execution> => {
    const execution = await runWorkflow(n8n.rest, workflowId);
    if (worker.log().includes(`Worker started execution ${execution.id} `)) return execution;
    throw new Error(`Execution ${execution.id} did not run on n8n's worker.`);
  };
  return {
    ...stage,
    worker,
    async leftovers() {
      const folders = [fixture.folder, join(fixture.folder, 'spool')];
      const names = await Promise.all(folders.map((folder) => readdir(folder)));
      return names
        .flat()
        .filter((name) => !['spool', 'tokens.json'].includes(name) && !name.endsWith('.claimed'));
    },
    runOnWorker,
    async fetchFile(name, bytes) {
      const id = await importWorkflow(n8n.rest, fetchWorkflow(files.url(name, bytes)));
      const execution = await runOnWorker(id);
      const binary = execution.output('Fetch')[0]?.binary?.['data'];
      if (binary === undefined) throw new Error(`n8n fetched nothing: ${execution.error?.message ?? '?'}`);
      return binary;
    },
    importUpload(binary, sender) {
      const upload = { resource: 'upload', operation: 'upload', runIn: sender, source: 'binary' };
      const items = [{ json: {}, binary: { data: binary } }];
      return importWorkflow(n8n.rest, workflowOf({ ...upload, simplify: false }, { items, credentials }));
    },
  };
}

function queueMode(postgres: Postgres, redis: { readonly port: number }): Record<string, string> {
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

function fetchWorkflow(url: string): ReturnType<typeof workflowOf> {
  const { nodes, connections } = workflowOf({}, {});
  const options = { response: { response: { responseFormat: 'file', outputPropertyName: 'data' } } };
  const fetchNode = { ...nodeOf('Fetch', 'n8n-nodes-base.httpRequest', { url, options }), typeVersion: 4.2 };
  return {
    nodes: [...nodes.filter(({ name }) => name !== NODE_NAME), fetchNode],
    connections: { ...connections, Start: { main: [[{ node: 'Fetch', type: 'main', index: 0 }]] } },
  };
}
