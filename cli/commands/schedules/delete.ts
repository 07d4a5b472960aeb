import type { Command } from 'commander';
import { addHelp, withAccount } from '../../context';
import type { CliContext } from '../../context';
import { deleteSchedule } from '../../../temporal/reports/client/describe-schedule';
import { ReportedFailure } from '../../exit-codes';
import { controlEach } from '../control';

export function addSchedulesDelete(schedules: Command, context: CliContext): void {
  const command = schedules
    .command('delete')
    .description('Delete a schedule. A new schedule with the same id begins one period back.')
    .argument('<id...>', 'as `schedules list` shows them');
  addHelp(command, 'Prints one line per schedule. A new schedule with the same id begins one period back.', [
    'media-service schedules delete morning',
    'media-service schedules list --json | jq -r .id | xargs media-service schedules delete',
  ]).action(async (ids: string[]) => {
    const { terminal } = context;
    const failure = await withAccount(context, ({ connection, accountId }) =>
      controlEach(terminal, ids, {
        control: (id) => deleteSchedule(connection, { accountId, id }),
        done: (id) => terminal.answer({ id, done: 'delete' }, `${id}: deleted\n`),
      }),
    );
    if (failure !== undefined) throw new ReportedFailure(failure);
  });
}
