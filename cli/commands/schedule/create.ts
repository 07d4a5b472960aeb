import { opendir } from 'node:fs/promises';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { checkedAccount, withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { readSettings } from '../../../settings/settings';
import type { Settings } from '../../../settings/settings';
import { createSchedule } from '../../../temporal/reports/client/create-schedule';
import { checkSchedule, RequestMistakes } from '../../../temporal/reports/client/report-schedule';
import type { ScheduleRequest } from '../../../temporal/reports/client/report-schedule';
import { reportNeed } from '../../../temporal/reports/client/run-report';
import { sealKeysOf } from '../../../temporal/seal';
import { addHelp } from '../../command-help';
import { scheduleJson, scheduleSummaryText } from './show';
import { warnWithoutWorker } from '../../missing-worker';
import { MediaServiceError, wrongField } from '../../../api/errors';
import { given } from '../../../api/json';
import { WEEKDAYS } from '../../../temporal/reports/types';
import type { Weekday } from '../../../temporal/reports/types';
import { collect, wordOf } from '../../flags/option-values';
import { createNamedSecrets } from '../../../api/named-secrets';
import { systemCodeOf } from '../../../files/system-error';
import { openOutputFolder, outputFailed } from '../../../files/output-path';
import { parseLocation } from '../../../files/file-location';

/** `media-service schedule create failure-report`: the only kind of schedule. */
export function addScheduleCreate(schedule: Command, context: CliContext): void {
  const create = schedule.command('create').description('Create a schedule: failure-report.');
  const command = withScheduleFlags(
    create
      .command('failure-report')
      .description('Report failed webhook deliveries at fixed times: by mail, to webhooks, as files.'),
  );
  addHelp(command, {
    output:
      'One line with the next time. --json: {"id","scheduleId","accountId","times","zone","targets","paused","nextTimes","existed"}.\n' +
      'Creating the same schedule again is not an error. An existing id with other settings is refused. Only names of secrets are stored.\n' +
      'A period starts where the last delivered one ended. Days and weeks end at midnight in the time zone.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL', 'UPLOAD_DIFFERS', 'OUTPUT'],
    examples: [
      {
        says: 'Every morning into a folder',
        run: 'media-service schedule create failure-report --id morning --every 1d --at 07:00 --timezone Europe/Berlin --to file:/srv/reports',
      },
      {
        says: 'On weekdays by mail and to a webhook',
        run: "media-service schedule create failure-report --id weekdays --cron '0 7 * * 1-5' --timezone Europe/Berlin --to mail:ops@example.org --smtp-secret smtp --mail-from reports@example.org --to https://hooks.example.org/reports --webhook-secret signing",
      },
    ],
  }).action((flags: ScheduleFlags) => run(context, flags));
}

async function run({ terminal, cwd, clock, env }: CliContext, flags: ScheduleFlags): Promise<void> {
  const settings = readSettings(env);
  const mistakes = new RequestMistakes();
  const request = scheduleRequestOf(flags, mistakes);
  // Mistakes in flags come before mistakes in the account. Nothing that is sealed here is kept.
  const reading = { cwd, sealKeys: sealKeysOf(''), allowPlainHttp: settings.options.allowPlainHttp };
  await checkSchedule(request, reading, { now: clock.now(), mistakes });
  const account = checkedAccount(settings);
  const unchecked = await checkFolders(settings, request, cwd);
  const json = flags.json === true;
  const { schedule, existed } = await withTemporal(settings, async (connection) => {
    const created = await createSchedule(connection, {
      account,
      serviceOptions: settings.options,
      request,
      paths: flags.sharedPath === true ? { cwd } : { cwd, host: settings.host },
      ...given({ queuePrefix: settings.queuePrefix }),
    });
    const starts = (): Promise<string> => Promise.resolve('Reports are sent');
    const waits = { need: reportNeed(created.schedule.input), starts, here: settings.host, json };
    await warnWithoutWorker(terminal, connection, waits);
    return created;
  });
  for (const warning of [...unchecked, ...(await secretWarnings(settings, request))]) terminal.note(warning);
  if (json) return terminal.json({ ...scheduleJson(schedule), existed });
  await terminal.data(`${scheduleSummaryText(schedule)}\n`);
  terminal.note(
    existed
      ? 'It already exists with the same settings.'
      : `Try it: media-service schedule run ${schedule.id} sends the report that is due now.`,
  );
}

/** The texts as given. They are read together, so that all wrong values are reported at once. */
export interface ScheduleFlags {
  readonly id?: string;
  readonly every?: string;
  readonly at?: string;
  readonly on?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly to?: readonly string[];
  readonly sharedPath?: boolean;
  readonly smtpSecret?: string;
  readonly mailFrom?: string;
  readonly webhookSecret?: string;
  readonly mediaId?: string;
  readonly subAccount?: string;
  readonly json?: boolean;
}

const texts = collect((text) => text);

/** The flags of a new schedule: when, where to, and which deliveries. */
export function withScheduleFlags(command: Command): Command {
  return command
    .option('--id <id>', 'required: name within the account: letters, digits, ".", "_", "-"')
    .option('--every <span>', '1d, 1w, or hours or minutes, for example 6h or 30m (default: 1d)')
    .option('--at <time>', 'time of day, with 1d and 1w (default: 07:00)')
    .option('--on <weekday>', 'with 1w (default: Monday)')
    .option('--cron <cron>', 'instead of --every: minute, hour, day of month, month, day of week')
    .option('--timezone <zone>', 'time zone, for example Europe/Berlin (default: UTC)')
    .option(
      '--to <target>',
      'required: mail:a@b[,c@d], https://…, s3://bucket/folder, file:/folder; repeatable',
      texts,
    )
    .option('--smtp-secret <name>', 'name of the secret with the mail server: smtps://user:password@host')
    .option('--mail-from <address>', 'sender address of mails')
    .option('--webhook-secret <name>', 'name of the secret that signs webhook posts (default: unsigned)')
    .option(
      '--shared-path',
      'every worker mounts the folders that are given; otherwise they are on this machine',
    )
    .option('--media-id <id>', 'only deliveries about this media item')
    .option('--sub-account <id>', 'only this sub-account (default: all of the account)');
}

/** Returns the request from the flags. Values that can't be read are missing in it and added to the mistakes. */
export function scheduleRequestOf(flags: ScheduleFlags, mistakes: RequestMistakes): ScheduleRequest {
  const { id = '', every, at, cron, timezone, to = [], smtpSecret, mailFrom, webhookSecret } = flags;
  const { mediaId, subAccount } = flags;
  const on = mistakes.attempt(() => (flags.on === undefined ? undefined : weekdayOf(flags.on)));
  return {
    id,
    targets: to,
    timing: given({ every, at, on, cron }),
    ...given({ zone: timezone, smtpSecret, mailFrom, webhookSecret }),
    scope: given({ mediaId, subAccountId: subAccount }),
  };
}

/** Throws a `ValidationError` for anything else. */
function weekdayOf(text: string): Weekday {
  try {
    return wordOf(WEEKDAYS)(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw wrongField('--on', `"${text.slice(0, 60)}" is invalid. ${error.message}`);
  }
}

/**
 * Returns warnings about the schedule's secrets, one sentence each. The worker reads the secrets, so nothing here
 * refuses them.
 */
async function secretWarnings(settings: Settings, request: ScheduleRequest): Promise<string[]> {
  const names = [request.smtpSecret, request.webhookSecret].filter((name) => name !== undefined);
  if (names.length === 0) return [];
  if (settings.secrets === undefined) {
    return [
      `Not checked here: ${names.map((name) => `"${name}"`).join(' and ')}; MEDIA_SERVICE_SECRETS is a setting of the worker.`,
    ];
  }
  const secrets = createNamedSecrets(settings.secrets);
  const problems: string[] = [];
  for (const name of names) {
    await secrets.read(name).catch((error: unknown) => {
      if (!(error instanceof MediaServiceError)) throw error;
      problems.push(`Warning: ${error.message}.`);
    });
  }
  return problems;
}

/**
 * Checks that the folders among the targets can be written, if this machine has a setting for it. Rejects
 * with `OutputFailed`. Without the setting the worker decides, and this only refuses files that should be folders.
 * Resolves with what could not be checked, one sentence each.
 */
export async function checkFolders(
  { outputRoots }: Settings,
  { targets }: Pick<ScheduleRequest, 'targets'>,
  cwd: string,
): Promise<string[]> {
  const folders = targets
    .filter((text) => /^file:/i.test(text.trim()))
    .map((text) => parseLocation(text, { cwd, field: 'to' }));
  if (outputRoots === undefined) {
    for (const folder of folders) if (folder.kind === 'path') await refuseFile(folder.path);
    const outside = folders.flatMap((location) =>
      location.kind === 'path' && isOutside(cwd, location.path) ? [location.path] : [],
    );
    return [...new Set(outside)].map(
      (folder) =>
        `This command can't check whether a worker can write to ${folder}. MEDIA_SERVICE_OUTPUT_ROOTS of the worker must include this folder (default: the folder in which the worker was started).`,
    );
  }
  for (const folder of folders) await openOutputFolder({ outputRoots }, folder);
  return [];
}

/** A file is not a folder, whatever user the worker runs as. */
async function refuseFile(folder: string): Promise<void> {
  try {
    await (await opendir(folder)).close();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOTDIR') throw outputFailed(folder, error);
  }
}

function isOutside(folder: string, other: string): boolean {
  const way = path.relative(folder, other);
  return way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
}
