/** What a group of polls may do with the control slot in which it runs. */
export interface PollSlot {
  /**
   * `stay`: poll for some seconds. `read`: read once. `leave`: read nothing, because other polls use the slots now.
   */
  readonly may: 'stay' | 'read' | 'leave';
  /** Call it when the group's try has ended. A second call does nothing. */
  leave(): void;
}

/**
 * Keeps enough control slots free of polls. So `start`, `complete` and other calls never wait behind sessions that the
 * service processes.
 */
export interface PollSlots {
  /** Call it when the try of a group begins. Each account has its own control slots. */
  enter(accountId: string): PollSlot;
}

/**
 * Shares of the control slots: for groups of polls that stay, and for all groups of polls, even if the service is
 * slow.
 */
const STAYING = 1 / 4;
const POLLING = 1 / 2;

/** `controlSlots`: control slots for each account. */
export function createPollSlots(controlSlots: number): PollSlots {
  const maxStaying = Math.floor(controlSlots * STAYING);
  const maxPolling = Math.max(1, Math.floor(controlSlots * POLLING));
  const taken = new Map<string, { staying: number; polling: number }>();
  return {
    enter(accountId) {
      const own = taken.get(accountId) ?? { staying: 0, polling: 0 };
      taken.set(accountId, own);
      if (own.polling >= maxPolling) return { may: 'leave', leave: () => undefined };
      const stays = own.staying < maxStaying;
      own.polling += 1;
      if (stays) own.staying += 1;
      let left = false;
      return {
        may: stays ? 'stay' : 'read',
        leave() {
          if (left) return;
          left = true;
          own.polling -= 1;
          if (stays) own.staying -= 1;
        },
      };
    },
  };
}
