import type { Command } from 'commander';
import { checkedAccount, withTemporal, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { readSettings } from '../../../settings/settings';
import { createSchedule } from '../../../temporal/reports/client/create-schedule';
import { checkSchedule } from '../../../temporal/reports/client/report-schedule';
import type { ScheduleRequest } from '../../../temporal/reports/client/report-schedule';
import { reportNeed } from '../../../temporal/reports/client/run-report';
import { sealKeysOf } from '../../../temporal/seal';
import { scheduleJson, scheduleSummaryText } from './show';
import { warnWithoutWorker } from '../../missing-worker';
import { given } from '../../../api/json';
import { collect, optionsIn, withOptions } from '../../flags/options';
import type { FlagValues } from '../../flags/options';
import { DELIVERY_OPTIONS } from '../../../api/options/search-options';

/** `media-service schedules create`. */
export function addSchedulesCreate(schedules: Command, context: CliContext): void {
  const command = withScheduleFlags(
    schedules
      .command('create')
      .description('Report failed webhook deliveries at fixed times: by mail, to webhooks, as files.'),
  );
  addHelp(
    command,
    'Prints when it fires next; with --json one object. An existing id is refused. Only names of secrets are stored. A report begins where the last delivered one ended.',
    [
      'media-service schedules create --id morning --at 07:00 --timezone Europe/Berlin --target file:/srv/reports',
      "media-service schedules create --id weekdays --cron '0 7 * * 1-5' --target mail:ops@example.org --smtp-secret smtp --mail-from reports@example.org --target https://hooks.example.org/reports --webhook-secret signing",
    ],
  ).action((flags: ScheduleFlags) => run(context, flags));
}

async function run({ terminal, cwd, clock, env }: CliContext, flags: ScheduleFlags): Promise<void> {
  const settings = readSettings(env);
  const request = scheduleRequestOf(flags);
  // Mistakes in flags come before mistakes in the account. Nothing that is sealed here is kept.
  const reading = { cwd, sealKeys: sealKeysOf(''), allowPlainHttp: settings.options.allowPlainHttp };
  await checkSchedule(request, reading, clock.now());
  const account = checkedAccount(settings);
  const schedule = await withTemporal(settings, async (connection) => {
    const created = await createSchedule(connection, {
      account,
      serviceOptions: settings.options,
      request,
      paths: flags.sharedPath === true ? { cwd } : { cwd, host: settings.host },
      queuePrefix: settings.queuePrefix,
    });
    const needs = [reportNeed(created.input)];
    await warnWithoutWorker(terminal, connection, { needs, starts: 'Reports are sent' });
    return created;
  });
  await terminal.answer(scheduleJson(schedule), `${scheduleSummaryText(schedule)}\n`);
  terminal.note(`Try it: media-service schedules run ${schedule.id} sends the report that is due now.`);
}

/** The texts as given. */
export interface ScheduleFlags extends FlagValues {
  readonly id?: string;
  readonly at?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly target?: readonly string[];
  readonly sharedPath?: boolean;
  readonly smtpSecret?: string;
  readonly mailFrom?: string;
  readonly webhookSecret?: string;
}

/** The flags of a new schedule: when, where to, and which deliveries. */
export function withScheduleFlags(command: Command): Command {
  command
    .option('--id <id>', 'required: name within the account: letters, digits, ".", "_", "-"')
    .option('--at <time>', 'time of each day (default: 07:00)')
    .option('--cron <cron>', 'instead of --at: minute, hour, day of month, month, day of week')
    .option('--timezone <zone>', 'time zone, for example Europe/Berlin (default: UTC)')
    .option(
      '--target <target>',
      'required: mail:a@b[,c@d], https://…, s3://bucket/folder, file:/folder; repeatable',
      collect(String),
    )
    .option('--smtp-secret <name>', 'name of the secret with the mail server: smtps://user:password@host')
    .option('--mail-from <address>', 'sender address of mails')
    .option('--webhook-secret <name>', 'name of the secret that signs webhook posts (default: unsigned)')
    .option(
      '--shared-path',
      'every worker mounts the folders that are given; otherwise they are on this machine',
    );
  return withOptions(command, DELIVERY_OPTIONS, ['mediaId', 'subAccountId']);
}

/** Returns the request from the flags. */
export function scheduleRequestOf(flags: ScheduleFlags): ScheduleRequest {
  const { id = '', at, cron, target = [], smtpSecret, mailFrom, webhookSecret } = flags;
  const { zone, ...scope } = optionsIn(flags, DELIVERY_OPTIONS);
  return {
    id,
    targets: target,
    timing: given({ at, cron }),
    ...given({ zone, smtpSecret, mailFrom, webhookSecret }),
    scope,
  };
}
