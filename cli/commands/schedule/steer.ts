import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { deleteSchedule, pauseSchedule, resumeSchedule } from '../../../temporal/schedules/steer-schedule';
import type { ScheduleName } from '../../../temporal/schedules/steer-schedule';
import { withTemporal, type CliContext } from '../../context';
import { teach } from '../../help-text';
import { scheduleNameOf } from '../../schedules/schedule-name';

interface Steering {
  readonly name: 'pause' | 'resume' | 'delete';
  readonly description: string;
  readonly done: string;
  readonly steer: (connection: TemporalConnection, name: ScheduleName) => Promise<void>;
}

const STEERINGS: readonly Steering[] = [
  {
    name: 'pause',
    description: 'Pause a schedule. The first report after it covers the pause.',
    done: 'paused',
    steer: (connection, name) => pauseSchedule(connection, name),
  },
  {
    name: 'resume',
    description: 'Let a paused schedule go on.',
    done: 'goes on',
    steer: resumeSchedule,
  },
  {
    name: 'delete',
    description: 'Delete a schedule. Its state stays: one of the same id goes on where it ended.',
    done: 'deleted; its state, if it has written one, stays',
    steer: deleteSchedule,
  },
];

/** `schedule pause`, `resume` and `delete`: the three differ in one call. */
export function addScheduleSteering(schedule: Command, context: CliContext): void {
  for (const { name, description, done, steer } of STEERINGS) {
    const command = schedule
      .command(name)
      .description(description)
      .argument('<id>', 'as `schedule list` shows it');
    teach(command, {
      output: `One line. --json: {"id","done":"${name}"}.`,
      exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
      examples: [{ says: 'One schedule', run: `media-service schedule ${name} morning` }],
    }).action(async (id: string, flags: { readonly json?: boolean }) => {
      const settings = readSettings();
      await withTemporal(settings, (connection) => steer(connection, scheduleNameOf(settings, id)));
      if (flags.json === true) await context.terminal.json({ id, done: name });
      else await context.terminal.data(`${id}: ${done}\n`);
    });
  }
}
