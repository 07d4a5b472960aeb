import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../../settings/settings';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { deleteSchedule, pauseSchedule, resumeSchedule } from '../../../temporal/schedules/control-schedule';
import type { ScheduleName } from '../../../temporal/schedules/control-schedule';
import { withTemporal, type CliContext } from '../../context';
import { controlEach } from '../../control-each';
import { ReportedFailure } from '../../exit-codes';
import { addHelp } from '../../command-help';

interface ControlFlags {
  readonly json?: boolean;
  readonly debug?: boolean;
}

interface Control {
  readonly name: 'pause' | 'resume' | 'delete';
  readonly description: string;
  readonly done: string;
  readonly control: (connection: TemporalConnection, name: ScheduleName) => Promise<void>;
}

const CONTROLS: readonly Control[] = [
  {
    name: 'pause',
    description: 'Pause a schedule. The first report after it covers the pause.',
    done: 'paused',
    control: (connection, name) => pauseSchedule(connection, name),
  },
  {
    name: 'resume',
    description: 'Resume a paused schedule.',
    done: 'resumed',
    control: resumeSchedule,
  },
  {
    name: 'delete',
    description: 'Delete a schedule. A new schedule with the same id begins one period back.',
    done: 'deleted',
    control: deleteSchedule,
  },
];

/** `schedule pause`, `resume` and `delete`, which differ in only one call. */
export function addScheduleControls(schedule: Command, context: CliContext): void {
  for (const { name, description, done, control } of CONTROLS) {
    const command = schedule
      .command(name)
      .description(description)
      .argument('<id...>', 'as `schedule list` shows them');
    addHelp(command, {
      output: `One line per schedule. --json: one object per line {"id","done":"${name}"}.`,
      exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
      examples: [
        { says: 'One schedule', run: `media-service schedule ${name} morning` },
        {
          says: 'All of the account',
          run: `media-service schedule list --json | jq -r .id | xargs media-service schedule ${name}`,
        },
      ],
    }).action(async (ids: string[], flags: ControlFlags) => {
      const { terminal } = context;
      const settings = readSettings(context.env);
      const json = flags.json === true;
      const { failure } = await withTemporal(settings, (connection) =>
        controlEach(terminal, ids, {
          view: { json, debug: flags.debug === true },
          control: (id) => control(connection, { accountId: accountIdOf(settings), id }),
          done: (id) => (json ? terminal.json({ id, done: name }) : terminal.data(`${id}: ${done}\n`)),
        }),
      );
      if (failure !== undefined) throw new ReportedFailure(failure);
    });
  }
}
