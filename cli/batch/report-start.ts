import type { Clock } from '../../api/clock';
import { MediaServiceError } from '../../api/errors';
import type { BatchHandle } from '../../temporal/client/batch/batch-handle';
import { readBatchListing } from '../../temporal/client/batch/list-batches';
import type { TemporalConnection } from '../../temporal/client/connect';
import type { CliContext } from '../context';
import { plainLine } from '../output/plain-text';
import { batchNameOf } from './batch-ids';
import { rowsText } from './batch-text';
import { printBatchEnd, watchBatch } from './watch-batch';

/** A plan that is refused shows within seconds; one of a million rows may take longer and is not waited for. */
const PLAN_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 250;

export interface BatchStartReport {
  readonly handle: BatchHandle;
  readonly watch: boolean;
  readonly json: boolean;
}

/**
 * Says what a start led to, once the plan stands: the id and the commands that come next, or all of the batch with `watch`. A joined
 * batch that has ended gives its result. Rejects with what keeps the batch from being planned.
 */
export async function reportBatchStart(
  context: CliContext,
  connection: TemporalConnection,
  { handle, watch, json }: BatchStartReport,
): Promise<void> {
  const { terminal, interrupts, clock } = context;
  const { workflowId, joined } = handle;
  const { status } = await readBatchListing(connection, workflowId);
  if (joined && status === 'COMPLETED') {
    return printBatchEnd(terminal, await handle.result(interrupts.first), { json, handle });
  }
  const batch = batchNameOf(workflowId);
  const how = joined ? 'joined the batch that runs' : 'started';
  if (watch) {
    if (!json) terminal.note(`${batch}: ${how}.`);
    return watchBatch(context, handle, { json });
  }
  const { rows, heldUpBy } = await planOf(handle, { clock, signal: interrupts.first });
  if (json)
    return terminal.json({
      batchId: batch,
      workflowId,
      joined,
      ...(rows === undefined ? {} : { rows }),
      ...(heldUpBy === undefined ? {} : { heldUpBy }),
    });
  const planned = rows === undefined ? 'its manifest is still being read' : rowsText(rows);
  await terminal.data(`${batch}: ${how}, ${planned}\n`);
  if (heldUpBy !== undefined)
    terminal.note(
      plainLine(`Reading it is tried again and again, the last time it failed with: ${heldUpBy}`),
    );
  terminal.note(
    ['watch', 'show', 'pause', 'cancel'].map((word) => `  media-service batch ${word} ${batch}`).join('\n'),
  );
}

interface Plan {
  /** Unset: planning takes longer than anybody waits. */
  readonly rows?: number;
  readonly heldUpBy?: string;
}

async function planOf(
  handle: BatchHandle,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Plan> {
  const enough = new AbortController();
  const over = AbortSignal.any([enough.signal, signal]);
  const looking = new PlanLook(handle);
  const ended = handle.result(over).then(({ counts: { rows } }) => ({ rows }));
  const planned = looking.untilPlanned(clock, over);
  const late = clock.sleep(PLAN_WITHIN_MS, over).then(() => looking.last);
  try {
    return await Promise.race([ended, planned, late]);
  } finally {
    enough.abort();
    await Promise.allSettled([ended, planned, late]);
  }
}

class PlanLook {
  last: Plan = {};

  constructor(private readonly handle: BatchHandle) {}

  async untilPlanned(clock: Clock, signal: AbortSignal): Promise<Plan> {
    for (;;) {
      signal.throwIfAborted();
      try {
        const { phase, counts, heldUpBy } = await this.handle.progress();
        if (phase !== 'planning') return { rows: counts.rows };
        this.last = heldUpBy === undefined ? {} : { heldUpBy };
      } catch (error) {
        // Its end, if that is the reason, says more.
        if (!(error instanceof MediaServiceError)) throw error;
      }
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }
}
