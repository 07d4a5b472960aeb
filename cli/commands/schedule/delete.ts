import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../../settings/settings';
import { deleteSchedule } from '../../../temporal/reports/client/describe-schedule';
import { withTemporal } from '../../context';
import type { CliContext } from '../../context';
import { controlEach } from '../control';
import { ReportedFailure } from '../../exit-codes';
import { addHelp } from '../../command-help';

interface DeleteFlags {
  readonly json?: boolean;
  readonly debug?: boolean;
}

export function addScheduleDelete(schedule: Command, context: CliContext): void {
  const command = schedule
    .command('delete')
    .description('Delete a schedule. A new schedule with the same id begins one period back.')
    .argument('<id...>', 'as `schedule list` shows them');
  addHelp(command, {
    output: 'One line per schedule. --json: one object per line {"id","done":"delete"}.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
    examples: [
      { says: 'One schedule', run: 'media-service schedule delete morning' },
      {
        says: 'All of the account',
        run: 'media-service schedule list --json | jq -r .id | xargs media-service schedule delete',
      },
    ],
  }).action(async (ids: string[], { json = false, debug = false }: DeleteFlags) => {
    const { terminal } = context;
    const settings = readSettings(context.env);
    const { failure } = await withTemporal(settings, (connection) =>
      controlEach(terminal, ids, {
        view: { json, debug },
        control: (id) => deleteSchedule(connection, { accountId: accountIdOf(settings), id }),
        done: (id) => (json ? terminal.json({ id, done: 'delete' }) : terminal.data(`${id}: deleted\n`)),
      }),
    );
    if (failure !== undefined) throw new ReportedFailure(failure);
  });
}
