import { describe, expect, it } from '@jest/globals';
import { asksForAnotherTry, isTemporaryStatus } from '../../../api/retry';

describe('a status of another server', () => {
  it.each([408, 425, 429])('%i asks for another try', (status) => {
    expect([asksForAnotherTry(status), isTemporaryStatus(status)]).toEqual([true, true]);
  });

  it.each([500, 503])('%i may pass, though it does not ask for another try', (status) => {
    expect([asksForAnotherTry(status), isTemporaryStatus(status)]).toEqual([false, true]);
  });

  it.each([200, 301, 400, 404, 412])('%i stays', (status) => {
    expect(isTemporaryStatus(status)).toBe(false);
  });
});
