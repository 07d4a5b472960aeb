import type { Command } from 'commander';
import { accountIdOf, readSettings } from '../../settings/settings';
import type { Settings } from '../../settings/settings';
import { listBatches } from '../../temporal/batch/client/list-batches';
import { openBatch } from '../../temporal/batch/client/open-batch';
import { batchWorkflowOf } from '../batch/batch-folder';
import { withTemporal } from '../context';
import type { CliContext } from '../context';
import { batchNameOf } from '../../temporal/batch/ids';
import { listUploads } from '../../temporal/upload/client/list-uploads';
import { openUpload } from '../../temporal/upload/client/open-upload';
import type { UploadHandle } from '../../temporal/upload/client/open-upload';
import { ValidationError } from '../../api/errors';
import type { TemporalConnection } from '../../temporal/client/connect';
import { addHelp } from '../command-help';
import { EXIT_CODES, exitCodeOf, ReportedFailure } from '../exit-codes';
import { noteWaitingRequest } from '../missing-worker';
import { mapInOrder } from '../../api/map-in-order';
import { renderError } from '../errors/render-error';
import type { ErrorView } from '../errors/render-error';
import type { Terminal } from '../output/terminal';

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

export type Request = 'pause' | 'resume' | 'cancel';

/** What `batch` and `uploads` control. */
interface ControlledKind {
  /** Group of the commands. */
  readonly group: string;
  readonly singular: string;
  readonly plural: string;
  readonly argument: { readonly name: string; readonly description: string; readonly example: string };
  /** What --all chooses. */
  readonly all: string;
  readonly descriptions: Readonly<Record<Request, string>>;
  open(connection: TemporalConnection, workflowId: string): Pick<UploadHandle, Request>;
  workflowIdOf(settings: Settings, id: string): string;
  /** As a line of output names it. */
  nameOf(workflowId: string): string;
  /** Workflow ids of those that run. */
  running(connection: TemporalConnection, settings: Settings, signal: AbortSignal): Promise<string[]>;
}

interface ControlFlags {
  readonly all?: boolean;
  readonly json?: boolean;
  readonly debug?: boolean;
}

/** `pause`, `resume` and `cancel`, which differ in only one call. */
function addControls(parent: Command, context: CliContext, kind: ControlledKind): void {
  const { group, singular, plural, argument, all, descriptions } = kind;
  for (const request of ['pause', 'resume', 'cancel'] as const) {
    const command = parent
      .command(request)
      .description(descriptions[request])
      .argument(`[${argument.name}...]`, argument.description)
      .option('--all', all);
    addHelp(command, {
      output: `One line per ${singular}. --json: one object per line {"workflowId","requested":"${request}"}.`,
      exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
      examples: [
        { says: `One ${singular}`, run: `media-service ${group} ${request} ${argument.example}` },
        { says: `All running ${plural}`, run: `media-service ${group} ${request} --all` },
      ],
    }).action((ids: string[], flags: ControlFlags) => controlAll(context, { kind, request, ids, flags }));
  }
}

interface Chosen {
  readonly kind: ControlledKind;
  readonly request: Request;
  readonly ids: readonly string[];
  readonly flags: ControlFlags;
}

async function controlAll({ terminal, interrupts, env }: CliContext, chosen: Chosen): Promise<void> {
  refuseUnlessOne(chosen);
  const { kind, request, ids, flags } = chosen;
  const settings = readSettings(env);
  const view = { json: flags.json === true, debug: flags.debug === true };
  const { failure } = await withTemporal(settings, async (connection) => {
    const workflowIds =
      flags.all === true
        ? await kind.running(connection, settings, interrupts.first)
        : ids.map((id) => kind.workflowIdOf(settings, id));
    if (workflowIds.length === 0 && !view.json) terminal.note(`This account has no running ${kind.plural}.`);
    const controlled = await controlEach(terminal, workflowIds, {
      view,
      control: (workflowId) => kind.open(connection, workflowId)[request](),
      done: (workflowId) =>
        view.json
          ? terminal.json({ workflowId, requested: request })
          : terminal.data(`${kind.nameOf(workflowId)}: ${request} requested\n`),
    });
    // With --all, all of them wait on the same queue.
    const waiting = flags.all === true ? controlled.done.slice(0, 1) : controlled.done;
    await noteWaitingRequest(terminal, connection, { workflowIds: waiting, request });
    return controlled;
  });
  if (failure !== undefined) throw new ReportedFailure(failure);
}

function refuseUnlessOne({ kind, ids, flags: { all } }: Chosen): void {
  if ((all === true) !== ids.length > 0) return;
  throw new ValidationError(
    kind.argument.name,
    all === true ? "Ids and --all can't be combined." : `No ${kind.singular} was given.`,
    `Give ${kind.singular} ids or --all.`,
  );
}

const CALLS_AT_ONCE = 16;

interface ControlEach {
  readonly view: ErrorView;
  readonly control: (id: string) => Promise<void>;
  /** Prints that it was done. */
  readonly done: (id: string) => Promise<void>;
}

export interface Controlled {
  readonly done: readonly string[];
  /** Exit code of the first refused one. */
  readonly failure?: number;
}

/**
 * Controls uploads, batches or schedules, and prints them in their order. A refused one (it has ended, or nobody knows
 * it) is reported and does not stop the others. Rejects if no request is possible, for example because Temporal is
 * unreachable.
 */
export async function controlEach(
  terminal: Terminal,
  ids: readonly string[],
  { view, control, done }: ControlEach,
): Promise<Controlled> {
  const ended: string[] = [];
  let failure: number | undefined;
  const outcomes = mapInOrder(new Set(ids), CALLS_AT_ONCE, async (id) => ({
    id,
    error: await control(id).then(
      () => undefined,
      (reason: unknown) => ({ reason }),
    ),
  }));
  for await (const { id, error } of outcomes) {
    if (error === undefined) {
      ended.push(id);
      await done(id);
      continue;
    }
    const code = exitCodeOf(error.reason);
    if (code !== EXIT_CODES.SERVICE.code) throw error.reason;
    failure ??= code;
    terminal.report(renderError(error.reason, view));
  }
  return { done: ended, ...(failure === undefined ? {} : { failure }) };
}
