import type { Command } from 'commander';
import type { Settings } from '../../settings/settings';
import { listBatches } from '../../temporal/batch/client/list-batches';
import { openBatch } from '../../temporal/batch/client/open-batch';
import { batchWorkflowOf } from '../batch/batch-folder';
import { withAccount, addHelp } from '../context';
import type { CliContext } from '../context';
import { batchNameOf } from '../../temporal/batch/ids';
import { listUploads } from '../../temporal/upload/client/list-uploads';
import { openUpload } from '../../temporal/upload/client/open-upload';
import { MediaServiceError, ValidationError } from '../../api/errors';
import type { TemporalConnection } from '../../temporal/client/connect';
import { exitCodeOf, ReportedFailure } from '../exit-codes';
import type { Terminal } from '../output/terminal';

export const BATCHES = {
  ...{ group: 'batches', singular: 'batch', plural: 'batches' },
  argument: {
    name: 'id',
    description: 'as `batches start` and `batches list` show them',
    example: 'harbour-1a2b3c4d',
  },
  /** What --all chooses. */
  all: 'all running batches of the account',
  descriptions: {
    pause: 'Pause batches: no new row begins, running uploads are paused.',
    resume: 'Resume paused batches, also those that paused themselves after too many failures.',
    cancel:
      'Cancel batches. What was uploaded stays, and the results are written; `batches start` continues later.',
  },
  open: (...all: Parameters<typeof openBatch>) => openBatch(...all),
  workflowIdOf: batchWorkflowOf,
  nameOf: (workflowId: string) => batchNameOf(workflowId),
  running: (connection: TemporalConnection, all: AllOfAccount) =>
    listBatches(connection, { ...all, status: ['RUNNING'] }),
};

export const UPLOADS = {
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
  open: (...all: Parameters<typeof openUpload>) => openUpload(...all),
  workflowIdOf: (_settings: Settings, id: string) => id,
  /** As a line of output names it. */
  nameOf: (workflowId: string) => workflowId,
  running: (connection: TemporalConnection, all: AllOfAccount) =>
    listUploads(connection, { ...all, status: ['RUNNING'] }),
};

const REQUESTS = ['pause', 'resume', 'cancel'] as const;

/** What `batches` and `uploads` control. */
export type ControlledKind = typeof BATCHES | typeof UPLOADS;

interface AllOfAccount {
  readonly accountId: string;
  readonly queuePrefix: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

interface ControlFlags {
  readonly all?: boolean;
}

/** `pause`, `resume` and `cancel`, which differ in only one call. */
export function controlsOf(kind: ControlledKind): (parent: Command, context: CliContext) => void {
  const { group, singular, argument, all, descriptions } = kind;
  return (parent, context) => {
    for (const request of REQUESTS) {
      const command = parent
        .command(request)
        .description(descriptions[request])
        .argument(`[${argument.name}...]`, argument.description)
        .option('--all', all);
      addHelp(command, `Prints one line per ${singular}. Temporal keeps the request until a worker runs.`, [
        `media-service ${group} ${request} ${argument.example}`,
        `media-service ${group} ${request} --all`,
      ]).action((ids: string[], flags: ControlFlags) => controlAll(context, { kind, request, ids, flags }));
    }
  };
}

interface Chosen {
  readonly kind: ControlledKind;
  readonly request: (typeof REQUESTS)[number];
  readonly ids: readonly string[];
  readonly flags: ControlFlags;
}

async function controlAll(context: CliContext, chosen: Chosen): Promise<void> {
  refuseUnlessOne(chosen);
  const { terminal, interrupts } = context;
  const { kind, request, ids, flags } = chosen;
  const failure = await withAccount(context, async ({ connection, settings, accountId }) => {
    const { queuePrefix } = settings;
    const all = { accountId, queuePrefix, limit: Infinity, signal: interrupts.first };
    const workflowIds =
      flags.all === true
        ? (await kind.running(connection, all)).map(({ workflowId }) => workflowId)
        : ids.map((id) => kind.workflowIdOf(settings, id));
    if (workflowIds.length === 0) terminal.note(`This account has no running ${kind.plural}.`);
    return controlEach(terminal, workflowIds, {
      control: (workflowId) => kind.open(connection, workflowId)[request](),
      done: (workflowId) =>
        terminal.answer(
          { workflowId, requested: request },
          `${kind.nameOf(workflowId)}: ${request} requested\n`,
        ),
    });
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

export interface ControlEach<Item, Result> {
  /** Names the item in its error. */
  readonly subjectOf?: (item: Item) => string | undefined;
  readonly control: (item: Item) => Promise<Result>;
  /** Prints that it was done. */
  readonly done: (item: Item, result: Result) => Promise<void>;
}

/**
 * Starts or controls uploads, batches or schedules, one after the other. One that fails (it is refused, it has ended, or
 * nobody knows it) is reported and does not stop the others. No more are asked if Temporal is unreachable, or after an
 * unexpected error, which rejects. Resolves with the exit code of the first failure.
 */
export async function controlEach<Item, Result>(
  terminal: Terminal,
  items: readonly Item[],
  { subjectOf, control, done }: ControlEach<Item, Result>,
): Promise<number | undefined> {
  let failure: number | undefined;
  for (const item of new Set(items)) {
    let result: Result;
    try {
      result = await control(item);
    } catch (reason) {
      if (!(reason instanceof MediaServiceError)) throw reason;
      failure ??= exitCodeOf(reason);
      const isAway = reason.code === 'TemporalUnreachable';
      terminal.fail(reason, isAway ? undefined : subjectOf?.(item));
      if (isAway) break;
      continue;
    }
    await done(item, result);
  }
  return failure;
}
