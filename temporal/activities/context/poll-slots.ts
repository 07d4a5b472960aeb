/** What a group of polls may do with the control slot that it runs in. */
export interface PollSlot {
  /** `stay`: read again and again for some seconds; `read`: read once; `leave`: nothing, other polls read now. */
  readonly may: 'stay' | 'read' | 'leave';
  /** The group's try has ended; a second call does nothing. */
  leave(): void;
}

/** Keeps enough control slots free of polls, so that `start`, `complete` and the like of other uploads never wait behind sessions that are being processed. */
export interface PollSlots {
  /** The try of a group begins. Each account has control slots of its own. */
  enter(accountId: string): PollSlot;
}

/** Of the control slots: groups of polls that stay, and groups of polls at all, however slow the service is. */
const STAYING = 1 / 4;
const POLLING = 1 / 2;

/** `controlSlots`: of each account. */
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
