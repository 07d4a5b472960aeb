import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { pollSession as poll } from '../../api/upload/session/poll-session';
import type { PollInput, PollOutcome } from '../../api/upload/session/poll-session';
import type { UploadSession } from '../../api/upload/session/session';
import type { ForAccount } from '../contract';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { inBeatingActivity } from './context/in-activity';
import { withoutRaw } from './context/without-raw';

const LONGEST_DELAY_MS = 60_000;
const GROWTH = 1.5;

/** `pollDelayMs`: the first pause between two tries, ms. */
type Input = ForAccount<PollInput & { readonly pollDelayMs: number }>;

/**
 * Waits for COMPLETED or FAILED: some seconds inside the activity, then it ends its try as "still processing", the only failure that
 * is BENIGN, and Temporal tries again later. So waiting costs no history, and never more than a part of the control slots: beyond that a try reads once, or not at
 * all. api.md, "Upload flow", step 6.
 */
export function pollSession(deps: ActivityDeps) {
  return ({ accountId, pollDelayMs, ...input }: Input): Promise<UploadSession> =>
    inBeatingActivity(async (signal) => {
      const outcome = await pollInSlot(deps, accountId, { input, signal });
      if (outcome.done) return withoutRaw(outcome.session);
      throw ApplicationFailure.create({
        message: `The service is still processing (${outcome.status ?? 'session not visible yet'}).`,
        type: 'StillProcessing',
        category: ApplicationFailureCategory.BENIGN,
        nextRetryDelay: nextDelayMs(pollDelayMs, Context.current().info.attempt),
      });
    });
}

async function pollInSlot(
  deps: ActivityDeps,
  accountId: string,
  { input, signal }: { readonly input: PollInput; readonly signal: AbortSignal },
): Promise<PollOutcome> {
  const { service } = accountOf(deps, accountId);
  const place = deps.pollSlots.enter(accountId);
  if (place.may === 'leave') return { done: false, status: 'not asked, since other sessions are' };
  try {
    return await poll(service, place.may === 'stay' ? input : { ...input, untilMs: 0 }, { signal });
  } finally {
    place.leave();
  }
}

/** Grows with every try, up to a minute. */
export function nextDelayMs(firstMs: number, attempt: number): number {
  return Math.min(LONGEST_DELAY_MS, Math.ceil(firstMs * GROWTH ** (attempt - 1)));
}
