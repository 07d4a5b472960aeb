import type { Command } from 'commander';
import { ValidationError } from '../../../api/errors';
import { readSettings, accountIdOf, type Settings } from '../../../settings/settings';
import type { BatchHandle } from '../../../temporal/client/batch/batch-handle';
import { listBatches } from '../../../temporal/client/batch/list-batches';
import { openBatch } from '../../../temporal/client/batch/open-batch';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { batchNameOf, batchWorkflowOf } from '../../batch/batch-ids';
import { withTemporal, type CliContext } from '../../context';
import { controlEach } from '../../control-each';
import { ReportedFailure } from '../../exit-codes';
import { noteWaitingRequest } from '../../note-no-worker';
import { addHelp } from '../../command-help';

const MAX_BATCHES = 1000;

interface ControlFlags {
  readonly all?: boolean;
  readonly json?: boolean;
  readonly debug?: boolean;
}

interface Control {
  readonly name: 'pause' | 'resume' | 'cancel';
  readonly description: string;
  readonly control: (handle: BatchHandle) => Promise<void>;
}

const CONTROLS: readonly Control[] = [
  {
    name: 'pause',
    description: 'Pause batches: no new row begins, running uploads are paused.',
    control: (handle) => handle.pause(),
  },
  {
    name: 'resume',
    description: 'Resume paused batches, also those that paused themselves after too many failures.',
    control: (handle) => handle.resume(),
  },
  {
    name: 'cancel',
    description:
      'Cancel batches. What was uploaded stays, and the results are written; `batch start` continues later.',
    control: (handle) => handle.cancel(),
  },
];

/** `batch pause`, `resume` and `cancel`, which differ in only one call. */
export function addBatchControls(batch: Command, context: CliContext): void {
  for (const control of CONTROLS) {
    const { name, description } = control;
    const command = batch
      .command(name)
      .description(description)
      .argument('[id...]', 'as `batch start` and `batch list` show them')
      .option('--all', 'all running batches of the account');
    addHelp(command, {
      output: `One line per batch. --json: one object per line {"workflowId","requested":"${name}"}.`,
      exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
      examples: [
        { says: 'One batch', run: `media-service batch ${name} harbour-1a2b3c4d` },
        { says: 'All running batches', run: `media-service batch ${name} --all` },
      ],
    }).action((ids: string[], flags: ControlFlags) => controlAll(context, control, { ids, flags }));
  }
}

async function controlAll(
  { terminal }: CliContext,
  { name, control }: Control,
  { ids, flags }: { readonly ids: readonly string[]; readonly flags: ControlFlags },
): Promise<void> {
  const settings = readSettings();
  const view = { json: flags.json === true, debug: flags.debug === true };
  const failure = await withTemporal(settings, async (connection) => {
    const workflowIds = await chosen(connection, settings, { ids, all: flags.all === true });
    const controlled = await controlEach(terminal, workflowIds, {
      view,
      control: (workflowId) => control(openBatch(connection, workflowId)),
      done: (workflowId) =>
        view.json
          ? terminal.json({ workflowId, requested: name })
          : terminal.data(`${batchNameOf(workflowId)}: ${name} requested\n`),
    });
    if (workflowIds.length === 0 && !view.json) terminal.note('This account has no running batches.');
    await noteWaitingRequest(terminal, connection, { workflowIds: controlled.done, request: name });
    return controlled.failure;
  });
  if (failure !== undefined) throw new ReportedFailure(failure);
}

async function chosen(
  connection: TemporalConnection,
  settings: Settings,
  { ids, all }: { readonly ids: readonly string[]; readonly all: boolean },
): Promise<string[]> {
  if (all === ids.length > 0) {
    throw new ValidationError(
      'id',
      all ? 'Ids and --all can’t be combined.' : 'No batch was named.',
      'Name batches, or give --all.',
    );
  }
  if (!all) return ids.map((id) => batchWorkflowOf(settings, id));
  const { queuePrefix } = settings;
  const found = await listBatches(connection, {
    accountId: accountIdOf(settings),
    limit: MAX_BATCHES,
    ...(queuePrefix === undefined ? {} : { queuePrefix }),
  });
  return found.filter(({ status }) => status === 'RUNNING').map(({ workflowId }) => workflowId);
}
