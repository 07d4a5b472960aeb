import type { Command } from 'commander';
import { checkedAccount } from '../../checked-account';
import { readSettings } from '../../../settings/settings';
import { createSchedule } from '../../../temporal/reports/client/create-schedule';
import { checkSchedule, RequestMistakes } from '../../../temporal/reports/client/report-schedule';
import { reportNeed } from '../../../temporal/reports/client/run-report';
import { sealKeysOf } from '../../../temporal/seal';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { scheduleRequestOf, withScheduleFlags } from '../../flags/schedule-flags';
import type { ScheduleFlags } from '../../flags/schedule-flags';
import { addHelp } from '../../command-help';
import { scheduleSummaryText } from '../../text/schedule-text';
import { secretWarnings } from '../../schedules/secrets-here';
import { checkFolders } from '../../schedules/writable-here';
import { warnWithoutWorker } from '../../warn-without-worker';
import { scheduleJson } from '../../schedules/schedule-json';

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
      ...(settings.queuePrefix === undefined ? {} : { queuePrefix: settings.queuePrefix }),
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
