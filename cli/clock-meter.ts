import type { Clock } from '../api/clock';
import type { Transport } from '../api/transport/transport';

export interface ClockMeter {
  /** Sends with the given transport, and compares the Date of each answer with this machine's clock. */
  readonly transport: Transport;
  /**
   * Our clock minus that of the last answer with a Date, ms. Undefined before the first one. The header counts whole
   * seconds.
   */
  skewMs(): number | undefined;
}

export function createClockMeter(transport: Transport, clock: Clock): ClockMeter {
  let skew: number | undefined;
  return {
    transport: {
      ...transport,
      async send(request) {
        const before = clock.now();
        const answer = await transport.send(request);
        const theirs = Date.parse(answer.headers['date'] ?? '');
        if (!Number.isNaN(theirs)) skew = (before + clock.now()) / 2 - theirs;
        return answer;
      },
    },
    skewMs: () => skew,
  };
}
