import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EarlySender } from '../../../../../temporal/activities/groups/early-sender';
import type { EarlyOutcomes } from '../../../../../temporal/contract/groups';

const INPUTS = 12;
const SECOND = 1_000;

/** A group of twelve inputs, and the outcomes that it sent early. */
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

describe('the outcomes of a group that runs for seconds', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are sent when a second passed without a new one', async () => {
    const { end, sent, sender } = group();
    const first = [0, 2, 3, 4, 5, 6, 8, 9];
    first.forEach(end);
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(sent).toEqual([]);
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(sent).toEqual([first]);
    await sender.stop();
  });

  it('are sent after five seconds while new ones arrive', async () => {
    const { end, sent, sender } = group();
    [0, 1, 2, 3, 4].forEach(end);
    for (const index of [5, 6, 7, 8]) {
      end(index);
      await jest.advanceTimersByTimeAsync(SECOND);
    }
    expect(sent).toEqual([]);
    end(9);
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(sent).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
    await sender.stop();
  });

  it('wait until they are at least as many as the inputs that are left', async () => {
    const { end, sent, sender } = group();
    [0, 1, 2, 3, 4].forEach(end);
    await jest.advanceTimersByTimeAsync(4 * SECOND);
    expect(sent).toEqual([]);
    end(5);
    await jest.advanceTimersByTimeAsync(2 * SECOND);
    expect(sent).toEqual([[0, 1, 2, 3, 4, 5]]);
    await sender.stop();
  });
});
