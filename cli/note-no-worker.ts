import { MediaServiceError } from '../api/errors';
import { mapInOrder } from '../api/map-in-order';
import { adviceText } from './errors/what-to-do';
import type { TemporalConnection } from '../temporal/client/connect';
import { unservedControl } from '../temporal/client/control-workflow';
import { noWorker } from '../temporal/client/unserved-queues';
import type { UnservedQueue } from '../temporal/client/unserved-queues';
import { plainLine } from './output/plain-text';
import type { Terminal } from './output/terminal';

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
