import type { Command } from 'commander';
import { accountIdOf } from '../../../settings/settings';
import { listBatches } from '../../../temporal/batch/client/list-batches';
import { openBatch } from '../../../temporal/batch/client/open-batch';
import { batchWorkflowOf } from '../../batch/batch-ids';
import type { CliContext } from '../../context';
import { addControls } from '../../control-commands';
import type { ControlledKind } from '../../control-commands';
import { batchNameOf } from '../../../temporal/batch/ids';

const MAX_BATCHES = 1000;

const BATCHES: ControlledKind = {
  ...{ group: 'batch', singular: 'batch', plural: 'batches' },
  argument: {
    name: 'id',
    description: 'as `batch start` and `batch list` show them',
    example: 'harbour-1a2b3c4d',
  },
  all: 'all running batches of the account',
  descriptions: {
    pause: 'Pause batches: no new row begins, running uploads are paused.',
    resume: 'Resume paused batches, also those that paused themselves after too many failures.',
    cancel:
      'Cancel batches. What was uploaded stays, and the results are written; `batch start` continues later.',
  },
  open: openBatch,
  workflowIdOf: batchWorkflowOf,
  nameOf: batchNameOf,
  async running(connection, settings) {
    const { queuePrefix } = settings;
    const found = await listBatches(connection, {
      accountId: accountIdOf(settings),
      limit: MAX_BATCHES,
      ...(queuePrefix === undefined ? {} : { queuePrefix }),
    });
    return found.filter(({ status }) => status === 'RUNNING').map(({ workflowId }) => workflowId);
  },
};

/** `batch pause`, `resume` and `cancel`. */
export function addBatchControls(batch: Command, context: CliContext): void {
  addControls(batch, context, BATCHES);
}
