import type { FailureReportResult } from '../../temporal/reports/types';
import type { ReportRunHandle } from '../../temporal/reports/client/run-report';
import type { CliContext } from '../context';
import { waitReasonLines } from '../text/wait-text';
import { plainLine } from '../output/plain-text';

const LOOK_EVERY_MS = 10_000;

/**
 * Waits for a run's end. Every ten seconds it reports that the run continues, or why it waits: a step is retried, or
 * there is no worker. Rejects with the run's own failure.
 */
export async function waitForReport(
  { terminal, clock, interrupts }: Pick<CliContext, 'terminal' | 'clock' | 'interrupts'>,
  handle: ReportRunHandle,
): Promise<FailureReportResult> {
  const over = new AbortController();
  const watching = (async (): Promise<never> => {
    let said = '';
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, over.signal);
      terminal.note(`Still waiting for ${handle.workflowId}.`);
      const lines = waitReasonLines(await handle.waitReason());
      if (lines.join() !== said) for (const line of lines) terminal.note(plainLine(line));
      said = lines.join();
    }
  })();
  try {
    return await Promise.race([handle.result(AbortSignal.any([interrupts.first, over.signal])), watching]);
  } catch (error) {
    if (interrupts.first.aborted) terminal.note(STAYS);
    throw error;
  } finally {
    over.abort();
    // The race above handled its failure, or it was just ended.
    await watching.catch(() => undefined);
  }
}

const STAYS = 'The run continues in Temporal. `media-service schedule show` shows how it ends.';
