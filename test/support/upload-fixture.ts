import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { accountId } from '../../api/account';
import type { Account } from '../../api/account';
import { hasCode } from '../../api/errors';
import type { HttpSource } from '../../api/upload/sources/source';
import type { UploadRequest } from '../../api/upload/types';
import type { SimulatorOptions } from '../../simulator/options';
import type { Seen } from '../../simulator/control/control';
import { startSimulator } from '../../simulator/start-simulator';
import { connectTemporal } from '../../temporal/client/connect';
import type { LiveProgress, UploadHandle } from '../../temporal/upload/client/open-upload';
import { startUpload } from '../../temporal/upload/client/start-upload';
import type { StartUpload } from '../../temporal/upload/client/start-upload';
import { controlQueue, pagesQueue, transferQueue } from '../../temporal/upload/types';
import { runWorker } from '../../temporal/worker/run-worker';
import type { WorkerControl } from '../../temporal/worker/run-worker';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { startBareWorker } from './bare-worker';
import type { BareWorker } from './bare-worker';
import { hastyClock } from './hasty-clock';
import { serveFile } from './range-server';
import { sharedS3, sharedTemporal } from './servers';
import { writeSourceFile, type WrittenFile } from './source-file';
import { startRun } from './start-run';
import { CleanUp } from './clean-up';
import { createTempDir } from './temp-dir';
import { startWorkerProcess as startProcess } from './worker-process';
import type { WorkerProcess, WorkerProcessOptions } from './worker-process';
import { until } from './until';
import { untilPolled } from './until-polled';
import { testWorkflowBundle } from './workflow-bundle';

/** How to request additional URLs from the simulator. */
export const ADDITIONAL_URLS = 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}';
export const MIB = 1024 * 1024;
export const PART_BYTES = 5 * MIB;
const HOST = 'test-host';

export interface FixtureOptions {
  readonly simulator?: SimulatorOptions;
  /** Default: the shared Temporal server. */
  readonly temporal?: { readonly address: string; readonly namespace: string };
  /** False: requests for more URLs are not configured. Default true. */
  readonly additionalUrls?: boolean;
}

export type SeenSession = Seen['sessions'][number];

export type UploadFixture = Awaited<ReturnType<typeof openUploadFixture>>;

/** A fixture for all tests of a file, with a worker by default. */
export function useUploadFixture(options: FixtureOptions & { readonly worker?: boolean } = {}) {
  let fixture: UploadFixture | undefined;
  beforeAll(async () => {
    fixture = await openUploadFixture(options);
    if (options.worker !== false) await fixture.startWorker();
  });
  afterAll(() => fixture?.close());
  return {
    get fixture() {
      if (fixture === undefined) throw new Error('The fixture is made before the first test.');
      return fixture;
    },
  };
}

/**
 * Resolves with an upload's progress once it passes; by default, once the upload says what it waits for. A worker on a
 * busy machine may answer later.
 */
export async function untilProgress(
  handle: UploadHandle,
  holds = ({ waitReason }: LiveProgress): boolean => waitReason !== undefined,
): Promise<LiveProgress> {
  const look = (): Promise<LiveProgress | undefined> => handle.progress().catch(unlessBusy);
  const seen = await until('the progress of the upload', look, (now) => now !== undefined && holds(now));
  return seen as LiveProgress;
}

/** For progress that no worker has answered in time. Throws any other error. */
export function unlessBusy(error: unknown): undefined {
  if (!hasCode(error, 'NoWorker')) throw error;
}

/** A simulator over the shared S3 server, a queue prefix, a folder with sources, and the workers of one test. */
export function openUploadFixture(options: FixtureOptions = {}) {
  const cleanUp = new CleanUp();
  return cleanUp.orUndo(() => open(options, cleanUp));
}

async function open(options: FixtureOptions, cleanUp: CleanUp) {
  const folder = await createTempDir('upload');
  cleanUp.add(() => folder.remove());
  const { endpoint, accessKey, secretKey, region } = sharedS3();
  const bucket = `fixture-${randomBytes(6).toString('hex')}`;
  const simulator = await startSimulator({
    s3: { endpoint, accessKey, secretKey, region, bucket },
    seed: { media: 3, deliveries: 3 },
    processingMs: 50,
    ...options.simulator,
  });
  cleanUp.add(() => simulator.close());
  const { baseUrl, uploadUrl } = simulator;
  const account: Account = { baseUrl, uploadUrl, ...simulator.account };
  const queuePrefix = `test-${randomBytes(6).toString('hex')}`;
  const temporal = options.temporal ?? sharedTemporal();
  const connection = await connectTemporal(temporal);
  cleanUp.add(() => connection.close());
  const service = options.additionalUrls === false ? {} : { additionalUrls: ADDITIONAL_URLS };
  const config: WorkerConfig = {
    temporal,
    accounts: [{ account, options: service }],
    queuePrefix,
    host: HOST,
    roots: [folder.path],
    outputRoots: [folder.path],
    sourceHosts: ['127.0.0.1'],
    shutdownGraceMs: 0,
    logLevel: 'error',
  };
  const stops: (() => Promise<void>)[] = [];
  let logs = '';
  /** Starts a worker as a process of its own. It ends with the fixture at the latest. */
  const startWorkerProcess = async (
    change: Partial<WorkerConfig> = {},
    options: WorkerProcessOptions = {},
  ): Promise<WorkerProcess> => {
    const worker = await startProcess({ ...config, ...change }, options);
    stops.push(async () => {
      await worker.kill('SIGKILL');
    });
    return worker;
  };
  /** What the simulator knows of a session. Without an ID: of the only one. */
  const session = (uploadId?: string): SeenSession => {
    const { sessions } = simulator.seen();
    const found = uploadId === undefined ? sessions : sessions.filter((one) => one.uploadId === uploadId);
    const [only] = found;
    if (only === undefined || found.length > 1) throw new Error(`There are ${found.length} such sessions.`);
    return only;
  };
  return {
    simulator,
    account,
    accountId: accountId(account),
    connection,
    queuePrefix,
    folder: folder.path,
    config,
    /**
     * Starts a worker in this process and waits until it polls. The returned function drains it. `codePath`: the
     * workflows as one file; default: those of the sources.
     */
    async startWorker(
      change?: Partial<WorkerConfig>,
      codePath?: string,
      control?: Partial<WorkerControl>,
    ): Promise<() => Promise<void>> {
      const workflowBundle = { codePath: codePath ?? (await testWorkflowBundle()) };
      const changed = { ...config, ...change };
      const fixed = { writeLog: () => undefined, workflowBundle, clock: hastyClock, ...control };
      const { stop, ready: queues } = await startRun<readonly string[]>((signal, onReady) =>
        runWorker(changed, { signal, onReady, ...fixed }),
      );
      stops.push(stop);
      await untilPolled(connection, queues, `${String(process.pid)}@${changed.host}`);
      return stop;
    },
    /** Starts a worker with settings of the test. Default: this account's control queue and host queue. */
    async startBareWorker(
      parts: Partial<BareWorker>,
      change?: Partial<WorkerConfig>,
    ): Promise<() => Promise<void>> {
      const id = accountId(account);
      const queues = {
        [controlQueue(queuePrefix, id)]: true,
        [transferQueue(queuePrefix, id, HOST)]: false,
        [pagesQueue(queuePrefix, id)]: false,
      };
      const stop = await startBareWorker({ ...config, ...change }, { queues, ...parts });
      stops.push(stop);
      return stop;
    },
    startWorkerProcess,
    /** The same with a log, which `logs` has. */
    startLoggedProcess: (change?: Partial<WorkerConfig>, options?: WorkerProcessOptions) =>
      startWorkerProcess({ logLevel: 'info', ...change }, { ...options, onLog: (text) => (logs += text) }),
    logs: () => logs,
    /** Writes a source file of `parts` parts (the last may be shorter), and returns its path and SHA-256. */
    async writeFile(name: string, parts: number): Promise<WrittenFile> {
      const path = join(folder.path, name);
      return { path, sha256: await writeSourceFile(path, Math.floor(parts * PART_BYTES), name) };
    },
    /** Serves a file over http. The source is that URL. */
    async serveFile(path: string, query?: string): Promise<HttpSource<string>> {
      const server = await serveFile(path, query);
      stops.push(() => server.close());
      return { kind: 'http', url: server.url, label: '' };
    },
    start: (path: string, change?: Partial<UploadRequest>, how?: Partial<StartUpload>) =>
      startUpload(connection, { account, queuePrefix, request: requestOf(path, change), ...how }),
    session,
    /** SHA-256 of the stored content of a session. Without an argument: of the newest. `undefined` is no session. */
    storedSha256(...ids: [uploadId?: unknown]): Promise<string> {
      const [uploadId] = ids.length > 0 ? ids : [simulator.seen().sessions.at(-1)?.uploadId];
      return simulator.objectSha256(session(String(uploadId)).keyName);
    },
    async close(): Promise<void> {
      await Promise.all(stops.map((stop) => stop()));
      await cleanUp.run();
    },
  };
}

/** For a part that a test holds: it stays held until it is released, however slow the machine is. */
export const HELD = { stallMs: 3_600_000, heartbeatMs: 600_000 } as const;

/** Small parts. Time-outs have the defaults of users; a test that waits for one sets its own. */
export function requestOf(path: string, change: Partial<UploadRequest> = {}): UploadRequest {
  const { options, ...rest } = change;
  return {
    source: { kind: 'path', path, host: HOST },
    media: { title: 'Test film', fileType: 'MP4' },
    ingestKey: `key-${randomBytes(6).toString('hex')}`,
    ...rest,
    options: {
      partBytes: PART_BYTES,
      concurrency: 2,
      pollDelayMs: 100,
      startPauseMs: 100,
      ...options,
    },
  };
}
