import type { Command } from 'commander';
import { readSettings } from '../../../settings/settings';
import { openUpload } from '../../../temporal/client/open-upload';
import type { UploadHandle } from '../../../temporal/client/upload-handle';
import { withTemporal, type CliContext } from '../../context';
import { EXIT_CODES, exitCodeOf } from '../../exit-codes';
import { teach } from '../../help-text';
import { renderError } from '../../errors/render-error';
import { ReportedFailure } from '../../errors/reported-failure';

interface SteeringFlags {
  readonly json?: boolean;
  readonly debug?: boolean;
}

interface Steering {
  readonly name: 'pause' | 'resume' | 'cancel';
  readonly description: string;
  readonly done: string;
  steer(handle: UploadHandle): Promise<void>;
}

const STEERINGS: readonly Steering[] = [
  {
    name: 'pause',
    description: 'Pause uploads: parts that are being sent end, no new one begins.',
    done: 'asked to pause',
    steer: (handle) => handle.pause(),
  },
  {
    name: 'resume',
    description: 'Let paused uploads go on.',
    done: 'asked to go on',
    steer: (handle) => handle.resume(),
  },
  {
    name: 'cancel',
    description: 'Cancel uploads. Session and parts stay in the service, which has no call to remove them.',
    done: 'asked to cancel',
    steer: (handle) => handle.cancel(),
  },
];

/** `uploads pause`, `resume` and `cancel`: the three differ in one call. */
export function addUploadsSteering(uploads: Command, context: CliContext): void {
  for (const steering of STEERINGS) {
    const { name, description, done } = steering;
    const command = uploads
      .command(name)
      .description(description)
      .argument('<workflow-id...>', 'as `upload` and `uploads list` show them');
    teach(command, {
      output: `One line per upload. --json: one object a line {"workflowId","requested":"${name}"}.`,
      exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
      examples: [
        { says: `One upload`, run: `media-service uploads ${name} upload/acme-1a2b3c4d/5e6f` },
        {
          says: 'All that run',
          run: `media-service uploads list --status RUNNING --json | jq -r .workflowId | xargs media-service uploads ${name}`,
        },
      ],
    }).action(async (ids: string[], flags: SteeringFlags) => {
      const view = { json: flags.json === true, debug: flags.debug === true };
      let failure: number | undefined;
      await withTemporal(readSettings(), async (connection) => {
        for (const workflowId of ids) {
          try {
            await steering.steer(openUpload(connection, workflowId));
          } catch (error) {
            if (exitCodeOf(error) !== EXIT_CODES.SERVICE.code) throw error;
            // One that has ended keeps nobody from steering the others.
            failure ??= exitCodeOf(error);
            context.terminal.report(renderError(error, view));
            continue;
          }
          if (view.json) await context.terminal.json({ workflowId, requested: name });
          else await context.terminal.data(`${workflowId}: ${done}\n`);
        }
      });
      if (failure !== undefined) throw new ReportedFailure(failure);
    });
  }
}
