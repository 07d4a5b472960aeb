import { Context } from '@temporalio/activity';
import type { ActivityDeps } from '../worker/activity-deps';
import { applicationFailureOf } from '../application-failure';
import { judgedRefusal } from '../worker/other-workers';
import { inHeartbeatingActivity } from '../worker/in-activity';

interface Step {
  /** The name in `UploadSteps`: for logs. */
  readonly name: string;
  readonly accountId: string;
  /** False: it does not call the service, so its rate does not count. */
  readonly isCall?: boolean;
  /**
   * True: an upload begins with this step. An unknown name of a host that never answered then ends the upload within a
   * minute.
   */
  readonly isFirstContact?: boolean;
  /** True: once it runs, its outcome counts, even if it was cancelled meanwhile. */
  readonly countsAnyway?: boolean;
}

/**
 * Runs one try of a step as an activity: waits for its turn at the service, and sends heartbeats. Temporal retries it.
 * `tries` counts from 1.
 */
export async function runStep<T>(
  deps: ActivityDeps,
  { name, accountId, isCall = true, isFirstContact = false, countsAnyway = false }: Step,
  run: (signal: AbortSignal, tries: number) => Promise<T>,
): Promise<T> {
  const outcome = await inHeartbeatingActivity(async (signal): Promise<{ value: T } | { error: Error }> => {
    const { attempt } = Context.current().info;
    if (isCall) await deps.accountRates.admitCall(accountId, signal);
    try {
      signal.throwIfAborted();
      return { value: await run(signal, attempt) };
    } catch (error) {
      const known = isFirstContact ? deps.knownHosts.judge(error, attempt) : error;
      const judged = await judgedRefusal(deps.identity, known);
      Context.current().log.warn('Step failed', { step: name, tries: attempt, error: judged });
      if (countsAnyway) return { error: applicationFailureOf(judged) };
      throw judged;
    }
  });
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
