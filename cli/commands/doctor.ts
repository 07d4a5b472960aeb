import type { Command } from 'commander';
import { createService } from '../../api/service/create-service';
import { readSettings, type Settings } from '../../settings/settings';
import { createClockMeter } from '../clock-meter';
import { withService, withTemporal, type CliContext } from '../context';
import {
  checkAdditionalUrls,
  checkClock,
  checkLogin,
  checkRoots,
  checkSpool,
  checkStorage,
  checkTemporal,
  checkWorkers,
  findingOf,
  type Finding,
} from '../doctor-checks';
import { EXIT_CODES } from '../exit-codes';
import { teach } from '../help-text';
import { checkOutputRoots, checkS3, checkSecrets } from '../place-checks';
import { plainText } from '../output/plain-text';
import { ReportedFailure } from '../errors/reported-failure';
import { withPlaces } from '../with-places';

const MARKS = { ok: 'ok  ', warn: 'note', fail: 'FAIL', skip: '–   ' } as const;

/** `media-service doctor`: everything that can be seen before the first upload, one line each with its remedy. */
export function addDoctor(program: Command, context: CliContext): void {
  const command = program
    .command('doctor')
    .description('Look at everything an upload needs, and say what to mend.');
  teach(command, {
    output:
      'One line per check: settings, login, clock, Temporal, workers, file roots, spool folder, output roots, secrets, S3,\n' +
      'storage, additional URLs.\n' +
      '--json: {"ok","findings":[{"check","state","says","remedy"}]}; state is ok, warn, fail or skip.',
    exits: ['CHECK_FAILED'],
    examples: [
      { says: 'Before the first upload', run: 'media-service doctor' },
      {
        says: 'In a pipeline',
        run: 'media-service doctor --json | jq \'.findings[] | select(.state=="fail")\'',
      },
    ],
  }).action(async (flags: { readonly json?: boolean }) => {
    const findings: Finding[] = [];
    const report = async (finding: Finding): Promise<void> => {
      findings.push(finding);
      if (flags.json !== true) await context.terminal.data(lineOf(finding));
    };
    await examine(context, report);
    const ok = findings.every(({ state }) => state !== 'fail');
    if (flags.json === true) await context.terminal.json({ ok, findings });
    if (!ok) throw new ReportedFailure(EXIT_CODES.CHECK_FAILED.code);
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
  let settings: Settings;
  try {
    settings = readSettings();
  } catch (error) {
    return report(findingOf('settings', error));
  }
  await withService(async ({ account, options, clock, transport }) => {
    const meter = createClockMeter(transport, clock);
    const service = createService({ account, options, clock, transport: meter.transport });
    await attempt('login', () => checkLogin(service, signal));
    await attempt('clock', () => checkClock(meter, service, signal));
    await withTemporal(settings, async (connection) => {
      await attempt('temporal', () => checkTemporal(connection));
      await attempt('workers', () => checkWorkers(connection, service, settings));
    }).catch((error: unknown) => report(findingOf('temporal', error)));
  }).catch((error: unknown) => report(findingOf('settings', error)));
  await attempt('file roots', () => checkRoots(settings, context.cwd));
  await attempt('spool folder', () => checkSpool(settings));
  await attempt('output roots', () => checkOutputRoots(settings, context.cwd));
  await attempt('secrets', () => checkSecrets(settings));
  if (Object.keys(settings.s3).length > 0) {
    await withPlaces(settings, context.cwd, ({ s3 }) => attempt('S3', () => checkS3(settings, s3, signal)));
  }
  await attempt('storage', () => checkStorage());
  await attempt('additional URLs', () => checkAdditionalUrls(settings));
}

function lineOf({ check, state, says, remedy }: Finding): string {
  const remedyLine = remedy === undefined ? '' : `      -> ${plainText(remedy)}\n`;
  return `${MARKS[state]}  ${check}: ${plainText(says)}\n${remedyLine}`;
}
