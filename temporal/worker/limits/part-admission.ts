import { given } from '../../../api/json';
import { Slots } from '../../../api/slots';
import type { AimdLimiters, ByteLimiter, PartAdmission } from '../../../api/upload/part/admission';
import type { Rates, Sender } from './rates';

/** Parts up to this size need little memory, so the slots of their rows or activities limit them enough. */
const SMALL_PART_BYTES = 1024 * 1024;

/** What limits the parts of one worker. */
interface PartLimits {
  /** Parts at once in each transfer queue. */
  readonly slots: number;
  /** Parts of each account a second, of a queue and to a storage host. */
  readonly rates: Pick<Rates, 'admitPart'>;
  /** Parts at once at each storage, shared by all accounts. */
  readonly storages: AimdLimiters;
  /** The bandwidth of this process. Unset: no limit. */
  readonly byteLimiter?: ByteLimiter;
}

export interface PartAdmissions {
  of(sender: Sender): PartAdmission;
  /** Max parts at once at each storage origin at this moment. */
  storageLimits(): ReadonlyMap<string, number>;
}

/** The one admission of all parts in this worker: a slot, the rates of its account, then room at its storage. */
export function createPartAdmissions({ slots, rates, storages, byteLimiter }: PartLimits): PartAdmissions {
  const queues = new Map<string, Slots>();
  const slotsOf = (queue: string): Slots => {
    const own = queues.get(queue) ?? new Slots(() => slots);
    queues.set(queue, own);
    return own;
  };
  return {
    storageLimits: () => storages.limits(),
    of: (sender) => ({
      async enter(part, signal) {
        const isSmall = part.bytes <= SMALL_PART_BYTES;
        const free = isSmall ? (): void => undefined : await slotsOf(sender.queue).enter(signal);
        try {
          await rates.admitPart({ ...sender, ...part }, signal);
          const permit = await storages.enter(part, signal);
          const leave: typeof permit.leave = (outcome) => {
            permit.leave(outcome);
            free();
          };
          return { ...permit, leave, ...given({ byteLimiter }) };
        } catch (error) {
          free();
          throw error;
        }
      },
    }),
  };
}
