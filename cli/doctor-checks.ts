import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { given } from '../api/json';
import { accountId } from '../api/account';
import type { Transport } from '../api/transport/transport';
import { discardBody } from '../api/answers/read-answer';
import type { Service } from '../api/service/service';
import type { S3Objects } from '../files/s3/s3-objects';
import { readAccounts } from '../settings/accounts';
import type { Settings } from '../settings/settings';
import { VARIABLES } from '../settings/variables';
import type { TemporalConnection } from '../temporal/client/connect';
import { listUploads } from '../temporal/upload/client/list-uploads';
import { failingTask } from '../temporal/client/query-workflow';
import { livingWorkers } from '../temporal/client/living-workers';
import type { LivingWorker } from '../temporal/client/living-workers';
import { controlQueue, DEFAULT_QUEUE_PREFIX, hostQueue, transferQueue } from '../temporal/upload/types';
import { whatToDoAbout } from './errors/what-to-do';
import { formatSpan } from './output/plain-text';
import type { Clock } from '../api/clock';

/** The result of one check. `skip`: there was nothing to check. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail' | 'skip';
  readonly says: string;
  readonly remedy?: string;
}

const CLOCK_WARN_MS = 60_000;
/** api.md, "Login request body": the maximum age of the timestamp. */
const CLOCK_LIMIT_MS = 30 * 60_000;

/** Makes a finding from an error: what happened, and what to do about it. */
export function findingOf(check: string, error: unknown): Finding {
  const says = error instanceof Error ? error.message : String(error);
  const remedy = whatToDoAbout(error);
  return { check, state: 'fail', says, ...given({ remedy }) };
}

export async function checkLogin(service: Service, signal: AbortSignal): Promise<Finding> {
  await service.tokens.login(signal);
  const { baseUrl, externalId } = service.account;
  return { check: 'login', state: 'ok', says: `the service at ${baseUrl} accepts ${externalId}` };
}

/** Compares this machine's clock with the service's, from the login's answer or else from any answer of the service. */
export async function checkClock(meter: ClockMeter, service: Service, signal: AbortSignal): Promise<Finding> {
  if (meter.skewMs() === undefined) {
    const url = `${service.account.baseUrl}/`;
    const { body } = await meter.transport.send({ method: 'GET', url, headers: {}, signal });
    await discardBody(body);
  }
  const skew = meter.skewMs();
  if (skew === undefined)
    return { check: 'clock', state: 'skip', says: "the service's responses have no Date header" };
  const off = Math.abs(skew);
  if (off <= CLOCK_WARN_MS) return { check: 'clock', state: 'ok', says: "within a minute of the service's" };
  return {
    check: 'clock',
    state: off >= CLOCK_LIMIT_MS ? 'fail' : 'warn',
    says: `${formatSpan(off)} ${skew > 0 ? 'ahead of' : 'behind'} the service's`,
    remedy: "Set this machine's clock by NTP: a login older than 30 minutes is refused.",
  };
}

/** Checks whether the host for uploads answers; any answer is enough. Sends no key. */
export async function checkUploadHost(
  service: Service,
  transport: Transport,
  signal: AbortSignal,
): Promise<Finding> {
  const { uploadUrl } = service.account;
  const { body } = await transport.send({ method: 'GET', url: `${uploadUrl}/`, headers: {}, signal });
  await discardBody(body);
  return { check: 'upload URL', state: 'ok', says: `${uploadUrl} answers` };
}

export function checkTemporal({ address, namespace }: TemporalConnection): Finding {
  return { check: 'temporal', state: 'ok', says: `${address} answers, namespace ${namespace}` };
}

/** Connects as a worker does: by another library than the command, with TLS and certificates of its own. */
export async function checkWorkerConnection({ temporal }: Settings): Promise<Finding> {
  const check = 'worker connection';
  const { tryToConnect } = await import('../temporal/worker/connect-worker.js');
  await tryToConnect(temporal);
  return { check, state: 'ok', says: `a worker on this machine reaches ${temporal.address}` };
}

/**
 * Which of the account's workers are running, and whether one serves this machine's files. A worker counts as running
 * even if all its slots are busy.
 */
export async function checkWorkers(
  connection: TemporalConnection,
  service: Pick<Service, 'account'>,
  { host, queuePrefix = DEFAULT_QUEUE_PREFIX }: Pick<Settings, 'host' | 'queuePrefix'>,
): Promise<Finding> {
  const check = 'workers';
  const id = accountId(service.account);
  const control = controlQueue(queuePrefix, id);
  const onHost = hostQueue(queuePrefix, id, host);
  const [workers, here] = await Promise.all([
    livingWorkers(connection, { control, queue: control }),
    livingWorkers(connection, { control, queue: onHost }),
  ]);
  if (workers.length === 0) {
    return {
      check,
      state: 'fail',
      says: `no worker of this account is running: nothing polled ${control} for more than a minute`,
      remedy:
        'Run `media-service worker` with this environment. Uploads and batches that start before that wait for the worker.',
    };
  }
  const mixed = workers.filter(({ host: at, folders }) =>
    workers.some((other) => other.host === at && other.folders !== folders),
  );
  if (mixed.length > 0) {
    return {
      check,
      state: 'warn',
      says: `${workersText(mixed)} on the same machine with different file roots or output roots`,
      remedy: `Start them with the same ${VARIABLES.fileRoots.name} and ${VARIABLES.outputRoots.name}: a file may go to any of them.`,
    };
  }
  const alive = `${workersText(workers)}; ${control} and ${transferQueue(queuePrefix, id)} are served`;
  if (here.length > 0) return { check, state: 'ok', says: `${alive}, and so is ${onHost}` };
  return {
    check,
    state: 'warn',
    says: `${alive}, but not ${onHost}: no worker sends the files of this machine`,
    remedy:
      'Run `media-service worker` on this machine, or mount the files on every worker and pass --shared-path.',
  };
}

/** Running uploads that are looked at. */
const MAX_RUNNING = 20;

/** Whether this environment can read the account's running uploads, and the workers can run them. */
export async function checkRunning(
  connection: TemporalConnection,
  service: Pick<Service, 'account'>,
  { queuePrefix = DEFAULT_QUEUE_PREFIX }: Pick<Settings, 'queuePrefix'>,
): Promise<Finding> {
  const check = 'running uploads';
  const owner = accountId(service.account);
  const list = { accountId: owner, queuePrefix, limit: MAX_RUNNING, status: ['RUNNING'] } as const;
  const running = await listUploads(connection, list);
  const unreadable = running.find((upload) => upload.unreadable !== undefined)?.unreadable;
  if (unreadable !== undefined) {
    const says = `some are encrypted with the codec key ${unreadable}, which is missing here`;
    return { check, state: 'fail', says, remedy: `Add the key of this id to ${VARIABLES.codecKey.name}.` };
  }
  for (const { workflowId } of running) {
    const stuck = await failingTask(connection, workflowId);
    if (stuck !== undefined) return findingOf(check, stuck);
  }
  return {
    check,
    state: 'ok',
    says: running.length === 0 ? 'none' : 'readable, and no worker fails at them',
  };
}

const MAX_WORKERS_NAMED = 5;

function workersText(workers: readonly LivingWorker[]): string {
  const names = workers.map(({ identity }) => identity).sort();
  const more = names.length - MAX_WORKERS_NAMED;
  const named = [...names.slice(0, MAX_WORKERS_NAMED), ...(more > 0 ? [`${String(more)} more`] : [])];
  return `${String(workers.length)} ${workers.length === 1 ? 'worker is running' : 'workers are running'} (${named.join(', ')})`;
}

export function checkAdditionalUrls({ options }: Settings): Finding {
  const { name, example } = VARIABLES.additionalUrls;
  if (options.additionalUrls !== undefined)
    return { check: 'additional URLs', state: 'ok', says: options.additionalUrls };
  return {
    check: 'additional URLs',
    state: 'warn',
    says: `${name} is not set: an upload that outlives its pre-signed URLs fails`,
    remedy: `Ask the service's operator for method, path and body of that request and set it, as ${example}.`,
  };
}

interface PathCheck {
  readonly check: string;
  /** The variable that names them. */
  readonly name: string;
  readonly paths: readonly string[] | undefined;
  readonly may: 'read' | 'write';
  /** What holds without the variable. */
  readonly unset: string;
}

/** The folders and files that a worker with these settings reads and writes. */
export function pathChecks(settings: Settings, cwd: string): readonly PathCheck[] {
  const { fileRoots, outputRoots, spoolDir, secrets } = settings;
  const one = (path: string | undefined): string[] | undefined => (path === undefined ? undefined : [path]);
  const rows = [
    ['file roots', 'fileRoots', fileRoots, 'read', `a worker started here reads only ${cwd}`],
    ['output roots', 'outputRoots', outputRoots, 'write', `a worker started here writes only to ${cwd}`],
    ['spool folder', 'spoolDir', one(spoolDir), 'write', 'sources without Range requests are refused'],
    ['secrets', 'secrets', one(secrets), 'read', "sources and reports can't use named secrets"],
  ] as const;
  return rows.map(([check, variable, paths, may, unset]) => ({
    ...{ check, name: VARIABLES[variable].name, paths, may, unset },
  }));
}

export async function checkPaths({ check, name, paths, may, unset }: PathCheck): Promise<Finding> {
  if (paths === undefined) return { check, state: 'skip', says: `${name} is not set: ${unset}` };
  const mode = may === 'read' ? constants.R_OK : constants.W_OK;
  const closed: string[] = [];
  for (const path of paths) {
    // What can't be seen can't be read either, and the next line says so.
    const facts = await stat(path).catch(() => undefined);
    const needed = facts?.isDirectory() === true ? mode | constants.X_OK : mode;
    await access(path, needed).catch(() => closed.push(path));
  }
  if (closed.length === 0) return { check, state: 'ok', says: paths.join(', ') };
  const says = `can't be ${may === 'read' ? 'read' : 'written'}: ${closed.join(', ')}`;
  return {
    check,
    state: 'fail',
    says,
    remedy: `Create it, give this user the right to ${may} it, or change ${name}.`,
  };
}

/**
 * Checks the accounts that a worker with this environment would serve. Rejects with everything that is wrong in them.
 */
export async function checkAccounts({ accountsPath = '' }: Settings): Promise<Finding> {
  const { length } = await readAccounts(accountsPath);
  const says = `${accountsPath}: ${String(length)} account${length === 1 ? '' : 's'}`;
  return { check: 'accounts', state: 'ok', says };
}

/** Checks whether the named buckets can be listed with the credentials of this environment. */
export async function checkS3(
  { s3: settings }: Settings,
  s3: S3Objects,
  signal: AbortSignal,
): Promise<Finding> {
  const { endpoint = "Amazon's", buckets = [] } = settings;
  if (buckets.length === 0) {
    const says = `${endpoint}; ${VARIABLES.s3Buckets.name} names no bucket to check`;
    return { check: 'S3', state: 'skip', says };
  }
  // One page of each list is enough.
  await Promise.all(buckets.map((bucket) => s3.list(bucket, '', signal)[Symbol.asyncIterator]().next()));
  return { check: 'S3', state: 'ok', says: `${endpoint}: ${buckets.join(', ')}` };
}

export interface ClockMeter {
  /** Sends with the given transport, and compares the Date of each answer with this machine's clock. */
  readonly transport: Transport;
  /**
   * Our clock minus that of the last answer with a Date, ms. Undefined before the first one. The header counts whole
   * seconds.
   */
  skewMs(): number | undefined;
}

export function createClockMeter(transport: Transport, clock: Clock): ClockMeter {
  let skew: number | undefined;
  return {
    transport: {
      ...transport,
      async send(request) {
        const before = clock.now();
        const answer = await transport.send(request);
        const theirs = Date.parse(answer.headers['date'] ?? '');
        if (!Number.isNaN(theirs)) skew = (before + clock.now()) / 2 - theirs;
        return answer;
      },
    },
    skewMs: () => skew,
  };
}
