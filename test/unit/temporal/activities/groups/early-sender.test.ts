import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EarlySender } from '../../../../../temporal/activities/groups/early-sender';
import type { EarlyOutcomes } from '../../../../../temporal/contract/groups';

const QUIET_MS = 100;

/** A group, and the outcomes that it sent early. */
function group(
  inputs = 16,
  yieldAfterMs?: number,
): {
  readonly end: (index: number) => void;
  readonly sent: number[][];
  readonly sender: EarlySender;
} {
  const outcomes: [number, { readonly value: null }][] = [];
  const sent: number[][] = [];
  const signal = (_name: string, news: EarlyOutcomes): Promise<void> => {
    sent.push(news.outcomes.map(([index]) => index));
    return Promise.resolve();
  };
  const sender = new EarlySender({
    context: {
      client: { workflow: { getHandle: () => ({ signal }) } } as unknown as Client,
      info: { workflowExecution: { workflowId: 'page', runId: 'run' } },
      log: { debug: () => undefined },
    } as unknown as ConstructorParameters<typeof EarlySender>[0]['context'],
    number: 1,
    yieldAfterMs,
    outcomes: () => [...outcomes],
    open: () => inputs - outcomes.length,
    record: () => Promise.resolve(),
    keep: () => undefined,
  });
  return { end: (index) => void outcomes.push([index, { value: null }]), sent, sender };
}

describe('the outcomes of a group that has not ended', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are sent when a tenth of a second passed without a new one', async () => {
    const { end, sent, sender } = group();
    const first = [0, 2, 3, 4, 5, 6, 8, 9];
    first.forEach(end);
    await jest.advanceTimersByTimeAsync(QUIET_MS);
    expect(sent).toEqual([]);
    await jest.advanceTimersByTimeAsync(QUIET_MS);
    expect(sent).toEqual([first]);
    await sender.stop();
  });

  it('are sent after two seconds while new ones arrive', async () => {
    const { end, sent, sender } = group(39);
    for (let index = 0; index < 19; index += 1) {
      end(index);
      await jest.advanceTimersByTimeAsync(QUIET_MS);
    }
    expect(sent).toEqual([]);
    end(19);
    await jest.advanceTimersByTimeAsync(QUIET_MS);
    expect(sent).toEqual([Array.from({ length: 20 }, (_, index) => index)]);
    await sender.stop();
  });

  it('wait until they are at least as many as the inputs that are left', async () => {
    const { end, sent, sender } = group();
    [0, 1, 2, 3, 4, 5, 6].forEach(end);
    await jest.advanceTimersByTimeAsync(4 * QUIET_MS);
    expect(sent).toEqual([]);
    end(7);
    await jest.advanceTimersByTimeAsync(2 * QUIET_MS);
    expect(sent).toEqual([[0, 1, 2, 3, 4, 5, 6, 7]]);
    await sender.stop();
  });

  it('are sent once, even if there are none, when the group must let the next one leave', async () => {
    const { end, sent, sender } = group(3, 1_000);
    await jest.advanceTimersByTimeAsync(900);
    expect(sent).toEqual([]);
    await jest.advanceTimersByTimeAsync(QUIET_MS);
    expect(sent).toEqual([[]]);
    end(1);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(sent).toEqual([[]]);
    end(2);
    await jest.advanceTimersByTimeAsync(2 * QUIET_MS);
    expect(sent).toEqual([[], [1, 2]]);
    await sender.stop();
  });
});
