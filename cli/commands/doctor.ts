import type { Command } from 'commander';
import type { Account } from '../../api/account';
import { createService } from '../../api/service/create-service';
import { retryingService } from '../../api/service/service';
import type { Service } from '../../api/service/service';
import { systemClock } from '../../api/clock';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { inspectSettings } from '../../settings/settings';
import type { Settings } from '../../settings/settings';
import {
  checkAccounts,
  checkAdditionalUrls,
  checkClock,
  checkLogin,
  checkPaths,
  checkRunning,
  checkS3,
  checkTemporal,
  checkUploadHost,
  checkWorkerConnection,
  checkWorkers,
  createClockMeter,
  findingOf,
  pathChecks,
} from '../doctor-checks';
import type { Finding } from '../doctor-checks';
import { checkedAccount, withFileAccess, withTemporal } from '../context';
import type { CliContext } from '../context';
import { EXIT_CODES, ReportedFailure } from '../exit-codes';
import { addHelp } from '../command-help';
import { plainText } from '../output/plain-text';

const MARKS = { ok: 'ok  ', warn: 'note', fail: 'FAIL', skip: '–   ' } as const;

/**
 * `media-service doctor`: checks everything that can be checked before the first upload, one line each with its fix.
 */
export function addDoctor(program: Command, context: CliContext): void {
  const command = program
    .command('doctor')
    .description(
      "Check everything an upload needs, and say what to fix. A wrong setting doesn't stop the other checks.",
    );
  addHelp(
    command,
    'Prints one line per check, with what to do; with --json one object. It fails if one of them fails.',
    [
      ['Before the first upload', 'media-service doctor'],
      ['In a pipeline', 'media-service doctor --json | jq \'.findings[] | select(.state=="fail")\''],
    ],
  ).action(async (flags: { readonly json?: boolean }) => {
    const findings: Finding[] = [];
    const report = async (finding: Finding): Promise<void> => {
      findings.push(finding);
      if (flags.json !== true) await context.terminal.data(lineOf(finding));
    };
    await examine(context, report);
    const ok = findings.every(({ state }) => state !== 'fail');
    if (flags.json === true) await context.terminal.json({ ok, findings });
    if (!ok) throw new ReportedFailure(EXIT_CODES.FAILED.code);
  });
}

async function examine(context: CliContext, report: (finding: Finding) => Promise<void>): Promise<void> {
  const signal = context.interrupts.first;
  const attempt = async (check: string, look: () => Promise<Finding> | Finding): Promise<void> => {
    signal.throwIfAborted();
    await report(
      await Promise.resolve()
        .then(look)
        .catch((error: unknown) => findingOf(check, error)),
    );
  };
  const { settings, problem } = inspectSettings(context.env);
  if (problem !== undefined) await report(findingOf('settings', problem));
  const account = await accountOf(settings, report);
  const service =
    account === undefined ? undefined : await examineService({ account, settings, signal, attempt });
  await withTemporal(settings, async (connection) => {
    await attempt('temporal', () => checkTemporal(connection));
    await attempt('worker connection', () => checkWorkerConnection(settings));
    if (service === undefined) return;
    await attempt('workers', () => checkWorkers(connection, service, settings));
    await attempt('running uploads', () => checkRunning(connection, service, settings));
  }).catch((error: unknown) => report(findingOf('temporal', error)));
  for (const paths of pathChecks(settings, context.cwd)) await attempt(paths.check, () => checkPaths(paths));
  if (settings.accountsPath !== undefined) await attempt('accounts', () => checkAccounts(settings));
  if (Object.keys(settings.s3).length > 0) {
    await withFileAccess(settings, context.cwd, ({ s3 }) =>
      attempt('S3', () => checkS3(settings, s3, signal)),
    );
  }
  await attempt('additional URLs', () => checkAdditionalUrls(settings));
}

/** Undefined if the environment has no complete account. That is reported, and the other checks still run. */
async function accountOf(
  settings: Settings,
  report: (finding: Finding) => Promise<void>,
): Promise<Account | undefined> {
  try {
    return checkedAccount(settings);
  } catch (error) {
    const servesFile = settings.accountsPath !== undefined && Object.keys(settings.account).length === 0;
    const says = 'no account in the environment: only a worker can run here, for the accounts of its file';
    await report(servesFile ? { check: 'settings', state: 'skip', says } : findingOf('settings', error));
    return undefined;
  }
}

interface ServiceExam {
  readonly account: Account;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly attempt: (check: string, look: () => Promise<Finding>) => Promise<void>;
}

/** Returns the checked account, for checks that need no connection. */
async function examineService({
  account,
  settings,
  signal,
  attempt,
}: ServiceExam): Promise<Pick<Service, 'account'>> {
  const transport = createUndiciTransport();
  try {
    const { options } = settings;
    const meter = createClockMeter(transport, systemClock);
    const service = retryingService(
      createService({ account, options, transport: meter.transport, clock: systemClock }),
    );
    await attempt('login', () => checkLogin(service, signal));
    await attempt('clock', () => checkClock(meter, service, signal));
    await attempt('upload URL', () => checkUploadHost(service, transport, signal));
    return service;
  } finally {
    await transport.close();
  }
}

function lineOf({ check, state, says, remedy }: Finding): string {
  const remedyLine = remedy === undefined ? '' : `      -> ${plainText(remedy)}\n`;
  return `${MARKS[state]}  ${check}: ${plainText(says)}\n${remedyLine}`;
}
