import { MediaServiceError } from '../../api/errors';
import type { FailureReportResult } from '../../temporal/contract/failure-report';
import type { ReportRunHandle } from '../../temporal/schedules/run-report';
import type { CliContext } from '../context';
import { heldUpLines } from '../output/held-up-lines';
import { plainLine } from '../output/plain-text';

const LOOK_EVERY_MS = 10_000;

/**
 * Waits for a run's end, never in silence: every ten seconds it says so, and why, where a step is tried again. Rejects with what the run failed with, and with `NoWorker` once no worker is left that would
 * run it, since Temporal takes one that died for alive for a minute; the run itself stays.
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
      await handle.requireWorker();
      terminal.note(`Still waiting for ${handle.workflowId}.`);
      const lines = heldUpLines(await handle.heldUpBy());
      if (lines.join() !== said) for (const line of lines) terminal.note(plainLine(line));
      said = lines.join();
    }
  })();
  try {
    return await Promise.race([handle.result(AbortSignal.any([interrupts.first, over.signal])), watching]);
  } catch (error) {
    if (interrupts.first.aborted) terminal.note(STAYS);
    throw error instanceof MediaServiceError && error.code === 'NoWorker' ? staying(error) : error;
  } finally {
    over.abort();
    await watching.catch(() => undefined);
  }
}

const STAYS =
  'The run stays in Temporal and is sent as soon as a worker can; `media-service schedule show` tells.';

function staying(error: MediaServiceError): MediaServiceError {
  const hint = error.facts.hint === undefined ? STAYS : `${error.facts.hint} ${STAYS}`;
  return new MediaServiceError(error.code, error.message, { ...error.facts, hint }, { cause: error });
}
