import { describe, expect, it } from '@jest/globals';
import type { EndedLine } from '../../../../../temporal/batch/types';
import { RowSlots } from '../../../../../temporal/worker/limits/row-slots';
import { resultLine } from '../../batch/result-line';
import type { PageSlots } from '../../../../../temporal/worker/limits/row-slots';

const never = new AbortController().signal;
const completed: EndedLine = { line: resultLine() };
const failed: EndedLine = {
  line: resultLine({ status: 'FAILED' }),
  failure: { code: 'SourceMissing', message: 'It is gone.', facts: {} },
};

/** Which of these waits have ended. */
async function ended(waits: readonly Promise<unknown>[]): Promise<boolean[]> {
  const done = waits.map(() => false);
  waits.forEach((wait, index) => void wait.then(() => (done[index] = true)));
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

function enter(page: PageSlots, count: number): Promise<(() => void) | undefined>[] {
  return Array.from({ length: count }, () => page.enter(never));
}

type Opened = Parameters<RowSlots['openPage']>[0];

const ROUND = { accountId: 'acme', batchId: 'a', round: 1, resumes: 0 };

/** Opens pages of one worker. Default: of one batch that was not resumed. */
function worker(of: Partial<Opened> = {}, rows = 128): (change?: Partial<Opened>) => PageSlots {
  const slots = new RowSlots(rows, 'worker');
  return (change) => slots.openPage({ ...ROUND, slots: 9, options: {}, ...of, ...change });
}

describe('the rows that a process uploads at once', () => {
  it('begin with four for each batch, and grow by one with each completed row', async () => {
    const page = worker({ slots: 100 })();
    const waits = enter(page, 6);
    expect(await ended(waits)).toEqual([true, true, true, true, false, false]);
    page.ended(completed);
    expect(await ended(waits)).toEqual([true, true, true, true, true, false]);
  });

  it('are limited over all pages of a batch by the sum of their slots', async () => {
    const open = worker({ slots: 1 });
    const [one, other] = [open(), open()];
    const waits = [...enter(one, 2), ...enter(other, 1)];
    expect(await ended(waits)).toEqual([true, true, false]);
    (await waits[0])?.();
    expect(await ended(waits)).toEqual([true, true, true]);
  });

  it('are limited over all batches of the process', async () => {
    const open = worker({}, 3);
    const waits = ['a', 'b'].flatMap((batchId) => enter(open({ batchId }), 2));
    expect(await ended(waits)).toEqual([true, true, true, false]);
  });

  it('leave no slot behind when a wait is given up', async () => {
    const page = worker({ slots: 1 }, 1)();
    const leave = await page.enter(never);
    const given = new AbortController();
    const waiting = page.enter(given.signal);
    given.abort();
    expect(await waiting).toBeUndefined();
    leave?.();
    expect(await ended(enter(page, 1))).toEqual([true]);
  });

  it('know equal failures of a page that has ended when the next one begins', () => {
    const open = worker({ options: { maxSameFailures: 3 } });
    const one = open();
    one.ended(failed);
    one.ended(failed);
    one.close();
    const next = open();
    expect(next.ended(failed)).toBe(true);
    expect(next.unreported()).toMatchObject({ worker: 'worker', count: 3 });
  });

  it('begin again with four, and at once, when all pages of a stopped batch have ended', async () => {
    const open = worker({ options: { maxSameFailures: 1 } });
    const one = open();
    one.ended(completed);
    one.ended(failed);
    one.close();
    expect(await ended(enter(open(), 5))).toEqual([true, true, true, true, false]);
  });

  it('stop for a while after equal failures of all pages of a batch here', async () => {
    const open = worker({ options: { maxSameFailures: 2 } });
    const [one, other] = [open(), open()];
    expect([one.ended(failed), other.ended(failed)]).toEqual([false, true]);
    expect(await ended(enter(one, 1))).toEqual([false]);
  });

  it('begin at once and count failures from 0 when the batch is resumed', async () => {
    const open = worker({ options: { maxSameFailures: 2 } });
    const before = open();
    expect([before.ended(failed), before.ended(failed)]).toEqual([false, true]);
    const after = open({ resumes: 1 });
    expect(await ended(enter(after, 1))).toEqual([true]);
    expect(after.ended(failed)).toBe(false);
    expect(after.unreported()).toMatchObject({ resumes: 1, count: 1 });
  });
});
