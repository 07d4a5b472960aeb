import type { Command } from 'commander';
import { accountId } from '../../api/account';
import type { Account } from '../../api/account';
import { discardBody } from '../../api/answers/read-answer';
import type { Clock } from '../../api/clock';
import { ConfigurationError, MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import { createService } from '../../api/service/create-service';
import { retryingService } from '../../api/service/service';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import type { Transport } from '../../api/transport/transport';
import { inspectSettings } from '../../settings/settings';
import type { Settings } from '../../settings/settings';
import { VARIABLES } from '../../settings/variables';
import type { TemporalConnection } from '../../temporal/client/connect';
import { livingWorkers } from '../../temporal/client/living-workers';
import type { LivingWorker } from '../../temporal/client/living-workers';
import { hostOfMixedRoots } from '../../temporal/worker-identity';
import { READ, READ_AND_WRITE, wrongWith } from '../../temporal/worker/check-folders';
import { controlQueue, transferQueue } from '../../temporal/upload/types';
import { addHelp, checkedAccount, withTemporal } from '../context';
import type { CliContext } from '../context';
import { whatToDoAbout } from '../errors/what-to-do';
import { EXIT_CODES, exitCodeOf, ReportedFailure } from '../exit-codes';
import { formatSpan, plainText } from '../output/plain-text';

/** The result of one check. `skip`: there was nothing to check. */
interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail' | 'skip';
  readonly says: string;
  readonly remedy?: string;
}

type Attempt = (check: string, look: () => Promise<Omit<Finding, 'check'>>) => Promise<void>;

const MARKS = { ok: 'ok  ', warn: 'note', fail: 'FAIL', skip: '–   ' } as const;

/** `media-service doctor`: checks what can be checked before the first upload, one line each with its fix. */
export function addDoctor(program: Command, context: CliContext): void {
  const command = program
    .command('doctor')
    .description(
      "Check everything an upload needs, and say what to fix. A wrong setting doesn't stop the other checks.",
    );
  addHelp(
    command,
    'Prints one line per check, with what to do; with --json one object. The first check that fails decides the exit code.',
    ['media-service doctor', 'media-service doctor --json | jq \'.findings[] | select(.state=="fail")\''],
  ).action(async () => {
    const { terminal } = context;
    const findings: Finding[] = [];
    let failure: number | undefined;
    await examine(context, async (check, look) => {
      context.interrupts.first.throwIfAborted();
      const finding: Finding = {
        check,
        ...(await look().catch((error: unknown) => {
          failure ??= exitCodeOf(error);
          const says = error instanceof Error ? error.message : String(error);
          return { state: 'fail' as const, says, ...given({ remedy: whatToDoAbout(error) }) };
        })),
      };
      if (finding.state === 'fail') failure ??= EXIT_CODES.FAILED.code;
      findings.push(finding);
      if (!terminal.isJson) await terminal.data(lineOf(finding));
    });
    if (terminal.isJson) await terminal.json({ ok: failure === undefined, findings });
    if (failure !== undefined) throw new ReportedFailure(failure);
  });
}

function lineOf({ check, state, says, remedy }: Finding): string {
  const remedyLine = remedy === undefined ? '' : `      -> ${plainText(remedy)}\n`;
  return `${MARKS[state]}  ${check}: ${plainText(says)}\n${remedyLine}`;
}

async function examine({ env, cwd, interrupts, clock }: CliContext, attempt: Attempt): Promise<void> {
  const { settings, problem } = inspectSettings(env);
  if (problem !== undefined) await attempt('settings', () => Promise.reject(problem));
  const account = await accountOf(settings, attempt);
  if (account !== undefined) {
    const transport = createUndiciTransport();
    const examined = { account, settings, transport, clock, signal: interrupts.first };
    await examineService(examined, attempt).finally(() => transport.close());
  }
  await withTemporal(settings, async (connection) => {
    const { address, namespace } = connection;
    await attempt('temporal', async () => ok(`${address} answers, namespace ${namespace}`));
    await attempt('worker connection', () => checkWorkerConnection(settings));
    if (account !== undefined) await attempt('workers', () => checkWorkers(connection, account, settings));
  }).catch((error: unknown) => attempt('temporal', () => Promise.reject(error)));
  for (const row of pathChecks(settings, cwd)) await attempt(row[0], () => checkPaths(...row));
}

function ok(says: string): Omit<Finding, 'check'> {
  return { state: 'ok', says };
}

/** Undefined if the environment has no complete account. That is reported, and the other checks still run. */
async function accountOf(settings: Settings, attempt: Attempt): Promise<Account | undefined> {
  try {
    return checkedAccount(settings);
  } catch (error) {
    const servesFile = settings.accounts !== undefined && Object.keys(settings.account).length === 0;
    const says = 'no account in the environment: only a worker can run here, for the accounts of its file';
    await attempt('settings', async () => {
      if (servesFile) return { state: 'skip', says };
      throw error;
    });
    return undefined;
  }
}

interface Examined {
  readonly account: Account;
  readonly settings: Pick<Settings, 'options'>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Exported for its test. Sends no key but that of the login. */
export async function examineService(
  { account, settings, transport, clock, signal }: Examined,
  attempt: Attempt,
): Promise<void> {
  /** Our clock minus that of the last answer with a Date, ms. The header counts whole seconds. */
  let skew: number | undefined;
  const measuring: Transport = {
    ...transport,
    async send(request) {
      const before = clock.now();
      const answer = await transport.send(request);
      const theirs = Date.parse(answer.headers['date'] ?? '');
      if (!Number.isNaN(theirs)) skew = (before + clock.now()) / 2 - theirs;
      return answer;
    },
  };
  const service = retryingService(
    createService({ account, options: settings.options, transport: measuring, clock }),
  );
  const ask = async (address: string): Promise<void> => {
    const request = { method: 'GET', url: `${address}/`, headers: {}, signal } as const;
    await discardBody((await measuring.send(request)).body);
  };
  await attempt('login', async () => {
    await service.tokens.login(signal);
    return ok(`the service at ${account.baseUrl} accepts ${account.externalId}`);
  });
  await attempt('clock', async () => {
    if (skew === undefined) await ask(account.baseUrl);
    return clockFinding(skew);
  });
  // Any answer is enough.
  await attempt('upload URL', async () => {
    await ask(account.uploadUrl);
    return ok(`${account.uploadUrl} answers`);
  });
}

const CLOCK_WARN_MS = 60_000;
/** api.md, "Login request body": the maximum age of the timestamp. */
const CLOCK_LIMIT_MS = 30 * 60_000;

function clockFinding(skew: number | undefined): Omit<Finding, 'check'> {
  if (skew === undefined) return { state: 'skip', says: "the service's responses have no Date header" };
  const off = Math.abs(skew);
  if (off <= CLOCK_WARN_MS) return ok("within a minute of the service's");
  return {
    state: off >= CLOCK_LIMIT_MS ? 'fail' : 'warn',
    says: `${formatSpan(off)} ${skew > 0 ? 'ahead of' : 'behind'} the service's`,
    remedy: "Set this machine's clock by NTP: a login older than 30 minutes is refused.",
  };
}

/** Connects as a worker does: by another library than the command, with TLS and certificates of its own. */
async function checkWorkerConnection({ temporal }: Settings): Promise<Omit<Finding, 'check'>> {
  const { tryToConnect } = await import('../../temporal/worker/connect-worker.js');
  await tryToConnect(temporal);
  return ok(`a worker on this machine reaches ${temporal.address}`);
}

/** Which of the account's workers are running, also with all slots busy, and whether one serves this machine's files. */
async function checkWorkers(
  connection: TemporalConnection,
  account: Account,
  { host, queuePrefix }: Settings,
): Promise<Omit<Finding, 'check'>> {
  const id = accountId(account);
  const control = controlQueue(queuePrefix, id);
  const onHost = transferQueue(queuePrefix, id, host);
  const [workers, here] = await Promise.all([
    livingWorkers(connection, control),
    livingWorkers(connection, onHost),
  ]);
  if (workers.length === 0) {
    const says = `no worker of this account is running: nothing polled ${control} for more than a minute`;
    const hint =
      'Run `media-service worker` with this environment. Uploads and batches that start before that wait for the worker.';
    throw new MediaServiceError('NoWorker', says, { hint });
  }
  const alive = `${workersText(workers, Date.now())}; ${control} and ${transferQueue(queuePrefix, id)} are served`;
  const mixed = hostOfMixedRoots(workers.map(({ identity }) => identity));
  if (mixed !== undefined) {
    return {
      state: 'warn',
      says: `${alive}, but the workers on ${mixed} may read different folders: each file waits for one that may read it`,
      remedy: 'Give all workers of a machine the same MEDIA_SERVICE_FILE_ROOTS.',
    };
  }
  if (here.length > 0) return ok(`${alive}, and so is ${onHost}`);
  return {
    state: 'warn',
    says: `${alive}, but not ${onHost}: no worker sends the files of this machine`,
    remedy:
      'Run `media-service worker` on this machine, or mount the files on every worker and pass --shared-path.',
  };
}

/** Exported for its test. Temporal does not say that a worker has ended, only when it last asked for work. */
export function workersText(workers: readonly LivingWorker[], now: number): string {
  const names = workers.map(({ identity, lastSeen }) => {
    const seconds = Math.max(0, Math.round((now - lastSeen.getTime()) / 1000));
    return `${identity} ${seconds} s ago`;
  });
  const asked = names.length === 1 ? 'worker asked' : 'workers asked';
  return `${names.length} ${asked} for work in the last minute (${names.sort().join(', ')})`;
}

type PathCheck = ReturnType<typeof pathChecks>[number];

/** Exported for its test. The folders and files that a worker with these settings reads and writes. */
export function pathChecks(settings: Settings, cwd: string) {
  const { fileRoots, outputRoots, spoolDir, secrets } = settings;
  const one = (path: string | undefined) => (path === undefined ? undefined : [path]);
  return [
    ['file roots', 'fileRoots', fileRoots, 'read', `a worker started here reads only ${cwd}`],
    ['output roots', 'outputRoots', outputRoots, 'write', `a worker started here writes only to ${cwd}`],
    ['spool folder', 'spoolDir', one(spoolDir), 'write', 'sources without Range requests are refused'],
    ['secrets', 'secrets', one(secrets), 'read', "sources and reports can't use named secrets"],
  ] as const;
}

/** Exported for its test. Rejects if a folder or file can't be used. */
export async function checkPaths(
  ...[, variable, paths, may, unset]: PathCheck
): Promise<Omit<Finding, 'check'>> {
  const { name } = VARIABLES[variable];
  if (paths === undefined) return { state: 'skip', says: `${name} is not set: ${unset}` };
  const problems: string[] = [];
  for (const path of paths) {
    const problem = await wrongWith(path, may === 'read' ? READ : READ_AND_WRITE, variable === 'secrets');
    if (problem !== undefined) problems.push(`${path} ${problem}`);
  }
  if (problems.length === 0) return ok(paths.join(', '));
  const hint = `Create it, give this user the right to ${may} it, or change ${name}.`;
  throw new ConfigurationError(name, problems.join(', '), hint);
}
