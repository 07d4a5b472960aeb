import type { Command } from 'commander';
import { ValidationError } from '../api/errors';
import { readSettings } from '../settings/settings';
import type { Settings } from '../settings/settings';
import type { TemporalConnection } from '../temporal/client/connect';
import type { UploadHandle } from '../temporal/upload/client/open-upload';
import { addHelp } from './command-help';
import { withTemporal } from './context';
import type { CliContext } from './context';
import { controlEach } from './control-each';
import { ReportedFailure } from './exit-codes';
import { noteWaitingRequest } from './note-no-worker';

export type Request = 'pause' | 'resume' | 'cancel';

/** What `batch` and `uploads` control. */
export interface ControlledKind {
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
export function addControls(parent: Command, context: CliContext, kind: ControlledKind): void {
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
