import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../../settings/settings';
import { showSchedule } from '../../../temporal/reports/client/run-report';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { scheduleText } from '../../text/schedule-text';
import { scheduleJson, shownRun } from '../../schedules/schedule-json';

export function addScheduleShow(schedule: Command, context: CliContext): void {
  const command = schedule
    .command('show')
    .description('Show a schedule: times, targets, state, last runs.')
    .argument('<id>', 'as `schedule list` shows it');
  addHelp(command, {
    output:
      'Some lines. --json: as `schedule list`, with "settings", "note", "runs", "skipped", "missed", "lastRuns", "running".\n' +
      'Each of "lastRuns" has a "status" (running, completed, failed, cancelled, terminated, timedOut, unknown), an "error" if it ' +
      'failed, and "waitReason":{"code","message","hint"} if a step is retried.\n' +
      'Secrets are shown by name, webhook URLs as host and digest.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
    examples: [
      { says: 'When does it fire next?', run: 'media-service schedule show morning' },
      {
        says: 'Why did its last run fail?',
        run: 'media-service schedule show morning --json | jq -r .lastRun.error.message',
      },
    ],
  }).action(async (id: string, flags: { readonly json?: boolean }) => {
    const settings = readSettings(context.env);
    const shown = await withTemporal(settings, (connection) =>
      showSchedule(connection, { accountId: accountIdOf(settings), id }),
    );
    if (flags.json !== true) return context.terminal.data(scheduleText(shown));
    const { note, runs, skipped, missed, lastRuns, running } = shown;
    const targets = shown.settings.targets.map(({ key }) => key);
    return context.terminal.json({
      ...scheduleJson(shown),
      settings: { ...shown.settings, targets },
      note,
      runs,
      skipped,
      missed,
      lastRuns: lastRuns.map(shownRun),
      running,
    });
  });
}
