import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EarlySender } from '../../../../../temporal/activities/groups/early-sender';
import type { EarlyOutcomes } from '../../../../../temporal/contract/groups';

const INPUTS = 16;
const QUARTER = 250;

/** A group of sixteen inputs, and the outcomes that it sent early. */
function group(): {
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
    outcomes: () => [...outcomes],
    open: () => INPUTS - outcomes.length,
    keep: () => undefined,
  });
  return { end: (index) => void outcomes.push([index, { value: null }]), sent, sender };
}

describe('the outcomes of a group that has not ended', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are sent when a quarter of a second passed without a new one', async () => {
    const { end, sent, sender } = group();
    const first = [0, 2, 3, 4, 5, 6, 8, 9];
    first.forEach(end);
    await jest.advanceTimersByTimeAsync(QUARTER);
    expect(sent).toEqual([]);
    await jest.advanceTimersByTimeAsync(QUARTER);
    expect(sent).toEqual([first]);
    await sender.stop();
  });

  it('are sent after two seconds while new ones arrive', async () => {
    const { end, sent, sender } = group();
    [0, 1, 2, 3, 4].forEach(end);
    for (const index of [5, 6, 7, 8, 9, 10, 11]) {
      end(index);
      await jest.advanceTimersByTimeAsync(QUARTER);
    }
    expect(sent).toEqual([]);
    end(12);
    await jest.advanceTimersByTimeAsync(QUARTER);
    expect(sent).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]);
    await sender.stop();
  });

  it('wait until they are at least as many as the inputs that are left', async () => {
    const { end, sent, sender } = group();
    [0, 1, 2, 3, 4, 5, 6].forEach(end);
    await jest.advanceTimersByTimeAsync(4 * QUARTER);
    expect(sent).toEqual([]);
    end(7);
    await jest.advanceTimersByTimeAsync(2 * QUARTER);
    expect(sent).toEqual([[0, 1, 2, 3, 4, 5, 6, 7]]);
    await sender.stop();
  });
});
