import { proxyActivities } from '@temporalio/workflow';
import { MINUTE_MS, SECOND_MS } from '../../api/clock';
import type { waitActivities } from './activities';
import { postsQueue } from './types';
import type { WaitInput } from './types';

/**
 * Waits until uploads and batches have ended, and posts their ends. Its history has one activity, however long that is
 * retried: while something runs, and while the receiver does not take the post.
 */
export async function awaitEnds(input: WaitInput): Promise<void> {
  const { queuePrefix, limitMs, ...post } = input;
  const { postEnds } = proxyActivities<ReturnType<typeof waitActivities>>({
    taskQueue: postsQueue(queuePrefix, input.accountId),
    startToCloseTimeout: 2 * MINUTE_MS,
    scheduleToCloseTimeout: limitMs,
    retry: { initialInterval: SECOND_MS, maximumInterval: MINUTE_MS },
  });
  await postEnds(post);
}
