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

export function addSchedulesDelete(schedules: Command, context: CliContext): void {
  const command = schedules
    .command('delete')
    .description('Delete a schedule. A new schedule with the same id begins one period back.')
    .argument('<id...>', 'as `schedules list` shows them');
  addHelp(command, 'Prints one line per schedule. A new schedule with the same id begins one period back.', [
    'media-service schedules delete morning',
    'media-service schedules list --json | jq -r .id | xargs media-service schedules delete',
  ]).action(async (ids: string[], { json = false, debug = false }: DeleteFlags) => {
    const { terminal } = context;
    const settings = readSettings(context.env);
    const failure = await withTemporal(settings, (connection) =>
      controlEach(terminal, ids, {
        view: { json, debug },
        control: (id) => deleteSchedule(connection, { accountId: accountIdOf(settings), id }),
        done: (id) => (json ? terminal.json({ id, done: 'delete' }) : terminal.data(`${id}: deleted\n`)),
      }),
    );
    if (failure !== undefined) throw new ReportedFailure(failure);
  });
}
