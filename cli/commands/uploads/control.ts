import type { Command } from 'commander';
import { accountIdOf } from '../../../settings/settings';
import { listUploads } from '../../../temporal/upload/client/list-uploads';
import { openUpload } from '../../../temporal/upload/client/open-upload';
import type { CliContext } from '../../context';
import { addControls } from '../../control-commands';
import type { ControlledKind } from '../../control-commands';

const MAX_UPLOADS = 10_000;

const UPLOADS: ControlledKind = {
  ...{ group: 'uploads', singular: 'upload', plural: 'uploads' },
  argument: {
    name: 'workflow-id',
    description: 'as `upload` and `uploads list` show them',
    example: 'upload/acme-1a2b3c4d/5e6f',
  },
  all: 'all running uploads of the account, except rows of batches',
  descriptions: {
    pause: 'Pause uploads: parts in progress are finished, no new ones start.',
    resume: 'Resume paused uploads.',
    cancel: 'Cancel uploads. Their sessions and parts stay in the service, which has no call to remove them.',
  },
  open: openUpload,
  workflowIdOf: (_settings, id) => id,
  nameOf: (workflowId) => workflowId,
  async running(connection, settings, signal) {
    const { queuePrefix } = settings;
    const found = await listUploads(connection, {
      accountId: accountIdOf(settings),
      status: ['RUNNING'],
      batch: 'none',
      limit: MAX_UPLOADS,
      signal,
      ...(queuePrefix === undefined ? {} : { queuePrefix }),
    });
    return found.map(({ workflowId }) => workflowId);
  },
};

/** `uploads pause`, `resume` and `cancel`. */
export function addUploadsControls(uploads: Command, context: CliContext): void {
  addControls(uploads, context, UPLOADS);
}
