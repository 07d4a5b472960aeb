import type { Command } from 'commander';
import { ValidationError } from '../../../api/errors';
import { readSettings } from '../../../settings/settings';
import { updateSchedule } from '../../../temporal/schedules/update-schedule';
import { RequestMistakes } from '../../../temporal/schedules/request-mistakes';
import { checkedAccount } from '../../checked-account';
import { addHelp } from '../../command-help';
import { withTemporal, type CliContext } from '../../context';
import { scheduleRequestOf, withChangeFlags, type ScheduleFlags } from '../../flags/schedule-flags';
import { scheduleSummaryText } from '../../text/schedule-text';
import { secretWarnings } from '../../schedules/secrets-here';
import { checkFolders } from '../../schedules/writable-here';
import { scheduleJson } from '../../schedules/schedule-json';

type UpdateFlags = Omit<ScheduleFlags, 'id'>;

/** `media-service schedule update`: changes some settings of a schedule and keeps the others. */
export function addScheduleUpdate(schedule: Command, context: CliContext): void {
  const command = withChangeFlags(
    schedule
      .command('update')
      .description('Change settings of a schedule. Settings without a flag stay.')
      .argument('<id>', 'as `schedule list` shows it'),
  );
  addHelp(command, {
    output:
      'One line with the next time. --json: as `schedule create failure-report`, with "changed": names of the settings that changed.\n' +
      '--to replaces all targets; a new one begins one period back. A pause stays. A run in progress ends with the old settings.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL', 'OUTPUT'],
    examples: [
      { says: 'An hour later', run: 'media-service schedule update morning --at 08:00' },
      {
        says: 'Write to another folder',
        run: 'media-service schedule update morning --to file:/srv/reports/daily',
      },
    ],
  }).action((id: string, flags: UpdateFlags) => run(context, id, flags));
}

async function run({ terminal, cwd, env }: CliContext, id: string, flags: UpdateFlags): Promise<void> {
  refuseWithoutSetting(flags);
  const settings = readSettings(env);
  const mistakes = new RequestMistakes();
  const request = scheduleRequestOf({ ...flags, id }, mistakes);
  mistakes.refuse();
  const account = checkedAccount(settings);
  const unchecked = await checkFolders(settings, request, cwd);
  const { schedule, changed } = await withTemporal(settings, (connection) =>
    updateSchedule(connection, {
      account,
      serviceOptions: settings.options,
      request,
      paths: flags.sharedPath === true ? { cwd } : { cwd, host: settings.host },
    }),
  );
  for (const warning of [...unchecked, ...(await secretWarnings(settings, request))]) terminal.note(warning);
  if (flags.json === true) return terminal.json({ ...scheduleJson(schedule), changed });
  await terminal.data(`${scheduleSummaryText(schedule)}\n`);
  terminal.note(
    changed.length === 0
      ? 'Nothing changed: it had these settings already.'
      : `Changed: ${changed.join(', ')}.`,
  );
}

const NO_SETTINGS = ['json', 'debug', 'sharedPath'];

function refuseWithoutSetting(flags: UpdateFlags): void {
  if (Object.keys(flags).some((name) => !NO_SETTINGS.includes(name))) return;
  throw new ValidationError(
    'arguments',
    'No setting to change was given.',
    'Give at least one, such as --at 08:00.',
  );
}
