import type { Command } from 'commander';
import { ValidationError } from '../../../api/errors';
import { readSettings, accountIdOf, type Settings } from '../../../settings/settings';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { listUploads } from '../../../temporal/client/list-uploads';
import { openUpload } from '../../../temporal/client/open-upload';
import type { UploadHandle } from '../../../temporal/client/upload-handle';
import { withTemporal, type CliContext } from '../../context';
import { controlEach } from '../../control-each';
import { ReportedFailure } from '../../exit-codes';
import { noteWaitingRequest } from '../../note-no-worker';
import { addHelp } from '../../command-help';

const MAX_UPLOADS = 10_000;

interface ControlFlags {
  readonly all?: boolean;
  readonly json?: boolean;
  readonly debug?: boolean;
}

interface Control {
  readonly name: 'pause' | 'resume' | 'cancel';
  readonly description: string;
  readonly control: (handle: UploadHandle) => Promise<void>;
}

const CONTROLS: readonly Control[] = [
  {
    name: 'pause',
    description: 'Pause uploads: parts in progress are finished, no new ones start.',
    control: (handle) => handle.pause(),
  },
  {
    name: 'resume',
    description: 'Resume paused uploads.',
    control: (handle) => handle.resume(),
  },
  {
    name: 'cancel',
    description:
      'Cancel uploads. Their sessions and parts stay in the service, which has no call to remove them.',
    control: (handle) => handle.cancel(),
  },
];

/** `uploads pause`, `resume` and `cancel`, which differ in only one call. */
export function addUploadsControls(uploads: Command, context: CliContext): void {
  for (const control of CONTROLS) {
    const { name, description } = control;
    const command = uploads
      .command(name)
      .description(description)
      .argument('[workflow-id...]', 'as `upload` and `uploads list` show them')
      .option('--all', 'all running uploads of the account, except rows of batches');
    addHelp(command, {
      output: `One line per upload. --json: one object per line {"workflowId","requested":"${name}"}.`,
      exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
      examples: [
        { says: 'One upload', run: `media-service uploads ${name} upload/acme-1a2b3c4d/5e6f` },
        { says: 'All running uploads', run: `media-service uploads ${name} --all` },
      ],
    }).action((ids: string[], flags: ControlFlags) => controlAll(context, control, { ids, flags }));
  }
}

async function controlAll(
  { terminal, interrupts }: CliContext,
  { name, control }: Control,
  { ids, flags }: { readonly ids: readonly string[]; readonly flags: ControlFlags },
): Promise<void> {
  refuseUnlessOne(ids, flags);
  const settings = readSettings();
  const view = { json: flags.json === true, debug: flags.debug === true };
  const { failure } = await withTemporal(settings, async (connection) => {
    const chosen = flags.all === true ? await running(connection, settings, interrupts.first) : ids;
    if (chosen.length === 0 && !view.json) terminal.note('This account has no running uploads.');
    const controlled = await controlEach(terminal, chosen, {
      view,
      control: (workflowId) => control(openUpload(connection, workflowId)),
      done: (workflowId) =>
        view.json
          ? terminal.json({ workflowId, requested: name })
          : terminal.data(`${workflowId}: ${name} requested\n`),
    });
    // With --all, every upload waits on the same queue.
    const workflowIds = flags.all === true ? controlled.done.slice(0, 1) : controlled.done;
    await noteWaitingRequest(terminal, connection, { workflowIds, request: name });
    return controlled;
  });
  if (failure !== undefined) throw new ReportedFailure(failure);
}

function refuseUnlessOne(ids: readonly string[], { all }: ControlFlags): void {
  if ((all === true) !== ids.length > 0) return;
  throw new ValidationError(
    'workflow-id',
    all === true ? 'Ids and --all can’t be combined.' : 'No upload was given.',
    'Give upload ids or --all.',
  );
}

async function running(
  connection: TemporalConnection,
  settings: Settings,
  signal: AbortSignal,
): Promise<string[]> {
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
}
