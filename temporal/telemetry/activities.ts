import { CancelledFailure } from '@temporalio/common';
import { MediaServiceError } from '../../api/errors';
import { isRetryable } from '../../api/retry';
import type { pollSession } from '../../api/upload/protocol/poll-session';
import type { PartResult } from '../../api/upload/types';
import type { Metrics } from '../metrics';

/** What is counted as no failure: somebody wanted it, or it waits for its turn. */
const NO_FAILURES: ReadonlySet<string> = new Set(['Cancelled', 'WorkerBusy']);

interface Counted {
  readonly metrics: Metrics;
  readonly account: string;
}

interface CountedStep extends Counted {
  /** The name of the step in `UploadSteps`. */
  readonly step: string;
}

/** Counts a failed try of a step that is no activity of its own. The result or error passes unchanged. */
export async function countedStep<T>(step: CountedStep, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    countFailure(step, codeOf(error));
    throw error;
  }
}

/** Counts a failed try of a step or another activity. */
export function countFailure({ metrics, account, step }: CountedStep, code: string): void {
  if (!NO_FAILURES.has(code)) metrics.add('activityFailures', { account, activity: step, code });
}

/** Counts one try to send a part. */
export async function countedPart<T extends Pick<PartResult, 'bytes' | 'ms'>>(
  { metrics, account }: Counted,
  run: () => Promise<T>,
): Promise<T> {
  try {
    const sent = await countedStep({ metrics, account, step: 'sendPart' }, run);
    metrics.add('parts', { account, outcome: 'sent' });
    metrics.add('partBytes', { account }, sent.bytes);
    metrics.observe('partDuration', { account }, sent.ms / 1000);
    return sent;
  } catch (error) {
    const code = codeOf(error);
    const outcome = code === 'Cancelled' ? 'cancelled' : code === 'WorkerBusy' ? 'requeued' : 'failed';
    metrics.add('parts', { account, outcome });
    if (outcome !== 'cancelled' && isRetryable(error)) metrics.add('partRetries', { account, code });
    throw error;
  }
}

type Poll = Awaited<ReturnType<typeof pollSession>>;

/** Counts what one read of a session has found, and returns it. */
export function countedPoll({ metrics, account }: Counted, poll: Poll): Poll {
  const outcome = poll.done ? poll.session.status.toLowerCase() : 'still_processing';
  metrics.add('sessionPolls', { account, outcome });
  return poll;
}

function codeOf(error: unknown): string {
  if (error instanceof CancelledFailure) return 'Cancelled';
  return error instanceof MediaServiceError ? error.code : 'Internal';
}
