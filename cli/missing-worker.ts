import { adviceText, whatToDoAbout } from './errors/what-to-do';
import { MediaServiceError } from '../api/errors';
import type { TemporalConnection } from '../temporal/client/connect';
import { noWorker, startedWithoutWorker, unservedQueues } from '../temporal/client/unserved-queues';
import type { UnservedQueue } from '../temporal/client/unserved-queues';
import { hostNeeds } from '../temporal/client/living-workers';
import type { WorkerNeed } from '../temporal/client/living-workers';
import { warn } from './output/terminal';
import type { Terminal } from './output/terminal';
import { mapInOrder } from '../api/map-in-order';
import { unservedControl } from '../temporal/client/control-workflow';
import { plainLine } from './output/plain-text';

export interface Started {
  readonly need: WorkerNeed;
  /** What waits for a worker: `The upload starts`. */
  readonly starts: string;
  /** This machine's name. */
  readonly here: string;
  readonly json: boolean;
}

/** The workers that several uploads of one account need together. */
export function neededTogether(first: WorkerNeed, others: readonly WorkerNeed[]): WorkerNeed {
  const hosts = [first, ...others].flatMap((need) => need.hosts);
  return { ...first, hosts: hostNeeds(hosts.map(({ host, because }) => [host, because])) };
}

/**
 * Warns about each queue without a worker, after something was started that waits for it. If that can't be checked, it
 * warns too.
 */
export async function warnWithoutWorker(
  terminal: Terminal,
  connection: TemporalConnection,
  { need, starts, here, json }: Started,
): Promise<void> {
  try {
    for (const queue of await unservedQueues(connection, need)) {
      const { message, ...advice } = startedWithoutWorker(queue, { starts, here });
      warn(terminal, { message, hint: adviceText(advice) }, json);
    }
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    const message = `can't check whether a worker is running: ${error.message.replace(/\.$/, '')}`;
    warn(terminal, { message, hint: whatToDoAbout(error) }, json);
  }
}

const CALLS_AT_ONCE = 16;

/** Reports on stderr which queues have no worker, what waits for one (a full sentence), and what to do. */
export function noteNoWorker(terminal: Terminal, unserved: readonly UnservedQueue[], waits: string): void {
  for (const one of unserved) {
    const { message, facts } = noWorker(one);
    const hint = adviceText(facts);
    terminal.note(plainLine(`${message} ${waits}`));
    if (hint !== undefined) terminal.note(plainLine(`What to do: ${hint}`));
  }
}

/** Reports each queue without a worker on which a request to pause, resume or cancel these workflows waits. */
export async function noteWaitingRequest(
  terminal: Terminal,
  connection: TemporalConnection,
  { workflowIds, request }: { readonly workflowIds: readonly string[]; readonly request: string },
): Promise<void> {
  const queues = new Map<string, UnservedQueue>();
  try {
    const looks = mapInOrder(workflowIds, CALLS_AT_ONCE, (id) => unservedControl(connection, id));
    for await (const unserved of looks) if (unserved !== undefined) queues.set(unserved.queue, unserved);
  } catch (error) {
    // Temporal has taken the request, so the command has not failed.
    if (!(error instanceof MediaServiceError)) throw error;
    terminal.note(plainLine(`Can't check whether a worker is running: ${error.message}`));
  }
  noteNoWorker(terminal, [...queues.values()], `The request (${request}) takes effect when one runs.`);
}
