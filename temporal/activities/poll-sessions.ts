import { pollSession } from '../../api/upload/session/poll-session';
import type { UploadSession } from '../../api/upload/session/session';
import type { PollSessionInput, UploadGroupActivities } from '../contract/upload-groups';
import type { Service } from '../../api/service/service';
import { uploadServiceOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import type { PollSlot } from './context/poll-slots';
import { withoutRaw } from './read-sessions';
import { NotYet } from './groups/group-step';
import { runGroup } from './groups/run-group';

const MAX_DELAY_MS = 60_000;
const GROWTH = 1.5;
/** How long a group continues after one session has ended, so that it also reports other sessions that end soon. */
const GATHER_MS = 1_000;

/**
 * Waits for COMPLETED or FAILED. Polls for some seconds inside the activity, until some sessions have ended. If none
 * has, the group ends as "still processing", the only failure that is BENIGN, and Temporal tries again later. So
 * waiting adds no history. Groups of polls use only a part of the control slots: beyond that they read once, or not at
 * all. api.md, "Upload flow", step 6.
 */
export function pollSessions(deps: ActivityDeps): UploadGroupActivities['pollSessions'] {
  return async (group) => {
    const slot = deps.pollSlots.enter(group.accountId);
    const enough = createEnough();
    try {
      return await runGroup(
        deps,
        {
          name: 'pollSession',
          concurrency: group.inputs.length,
          factsOf: ({ uploadId }) => ({ uploadId }),
          admit: (_input, signal) => deps.accountRates.admitCall(group.accountId, signal),
          async run(input, { number, signal }) {
            const service = uploadServiceOf(deps, group.accountId);
            const delayMs = nextDelayMs(input.pollDelayMs, number);
            return enough.afterOne(signal, (ending) =>
              pollInSlot({ service, slot, input, signal: ending, delayMs, isFirst: number === 1 }),
            );
          },
        },
        group,
      );
    } finally {
      enough.stop();
      slot.leave();
    }
  };
}

interface Poll {
  readonly service: Service;
  readonly slot: PollSlot;
  readonly input: PollSessionInput;
  readonly signal: AbortSignal;
  readonly delayMs: number;
  /** The session was read just now, when it was completed. */
  readonly isFirst: boolean;
}

/** The session after it has ended. Rejects with `NotYet` before that. */
async function pollInSlot({ service, slot, input, signal, delayMs, isFirst }: Poll): Promise<UploadSession> {
  if (slot.may === 'leave') throw stillProcessing('not asked, since other sessions are', delayMs);
  const limits = slot.may === 'stay' ? { wasRead: isFirst } : { untilMs: 0 };
  const outcome = await pollSession(service, { ...input, ...limits }, { signal });
  if (outcome.done) return withoutRaw(outcome.session);
  throw stillProcessing(outcome.status ?? 'session not visible yet', delayMs);
}

function stillProcessing(status: string, delayMs: number): NotYet {
  return new NotYet(`The service is still processing (${status}).`, delayMs);
}

/** Grows with every try, up to a minute. */
export function nextDelayMs(firstMs: number, attempt: number): number {
  return Math.min(MAX_DELAY_MS, Math.ceil(firstMs * GROWTH ** (attempt - 1)));
}

interface Enough {
  /** Runs one poll. Shortly after one poll has an outcome, the others end with `NotYet`. */
  afterOne<T>(signal: AbortSignal, poll: (ending: AbortSignal) => Promise<T>): Promise<T>;
  stop(): void;
}

function createEnough(): Enough {
  const enough = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onOutcome = (): void => {
    timer ??= setTimeout(() => enough.abort(), GATHER_MS);
  };
  return {
    async afterOne(signal, poll) {
      try {
        const value = await poll(AbortSignal.any([signal, enough.signal]));
        onOutcome();
        return value;
      } catch (error) {
        if (enough.signal.aborted && !signal.aborted) throw stillProcessing('others have ended', GATHER_MS);
        if (!(error instanceof NotYet)) onOutcome();
        throw error;
      }
    },
    stop: () => clearTimeout(timer),
  };
}
