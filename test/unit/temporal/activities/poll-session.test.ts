import { describe, expect, it } from '@jest/globals';
import { nextDelayMs } from '../../../../temporal/activities/poll-session';

describe('nextDelayMs', () => {
  it('grows from the first delay to a minute and stays there', () => {
    const delays = [1, 2, 3, 8, 500].map((attempt) => nextDelayMs(5_000, attempt));
    expect(delays).toEqual([5_000, 7_500, 11_250, 60_000, 60_000]);
  });
});
