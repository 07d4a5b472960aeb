import { HOUR_MS } from '../../../../../api/clock';
import type { EndedLine } from '../../../../../temporal/batch/types';
import { RowSlots } from '../../../../../temporal/worker/limits/row-slots';
import { resultLine } from '../../batch/result-line';
import type { PageSlots } from '../../../../../temporal/worker/limits/row-slots';

const WIDEN_MS = 5_000;
const HOLD_MS = 20_000;
const never = new AbortController().signal;
const completed: EndedLine = { line: resultLine() };
const failed: EndedLine = {
  line: resultLine({ status: 'FAILED' }),
  failure: { code: 'SourceMissing', message: 'It is gone.', facts: {} },
};

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

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
    const waits = enter(open(), 3);
    expect(await ended(waits)).toEqual([true, false, false]);
    open();
    expect(await ended(waits)).toEqual([true, true, false]);
    (await waits[0])?.();
    expect(await ended(waits)).toEqual([true, true, true]);
  });

  it('are limited over all batches of the process', async () => {
    const open = worker({}, 3);
    const waits = ['a', 'b'].flatMap((batchId) => enter(open({ batchId }), 2));
    expect(await ended(waits)).toEqual([true, true, true, false]);
  });

  it.each([
    ['its batch', 'a'],
    ['the process', 'b'],
  ])('leave no slot behind when a wait for one of %s is given up', async (_of, batchId) => {
    const open = worker({ slots: 1 }, 1);
    const page = open();
    const leave = await (batchId === 'a' ? page : open({ batchId })).enter(never);
    const given = new AbortController();
    const waiting = page.enter(given.signal);
    given.abort();
    expect(await waiting).toBeUndefined();
    leave?.();
    expect(await ended(enter(page, 1))).toEqual([true]);
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

  it.each<[what: string, limits: Opened['options'], ends: EndedLine[]]>([
    ['so many of them fail', { maxFailures: 3 }, [failed, failed, failed]],
    ['such a share of them fails', { maxFailureRate: 0.5 }, [...times(10, completed), ...times(10, failed)]],
    ['equal failures follow each other', { maxSameFailures: 2 }, [failed, completed, failed, failed]],
  ])('stop when %s, and not before', (_what, limits, ends) => {
    const page = worker({ options: { maxSameFailures: 0, ...limits } })();
    expect(ends.map((end) => page.ended(end))).toEqual([...times(ends.length - 1, false), true]);
  });

  describe('as time passes', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    });
    afterEach(() => {
      jest.useRealTimers();
    });
    const begun = async (waits: readonly Promise<unknown>[]): Promise<number> =>
      (await ended(waits)).filter(Boolean).length;

    it('are twice as many every five seconds, unless a row failed meanwhile', async () => {
      const page = worker({ slots: 100 })();
      const waits = enter(page, 30);
      const counts = [];
      for (const end of [undefined, undefined, failed, undefined]) {
        counts.push(await begun(waits));
        if (end !== undefined) page.ended(end);
        await jest.advanceTimersByTimeAsync(WIDEN_MS);
      }
      expect([...counts, await begun(waits)]).toEqual([4, 8, 16, 16, 30]);
    });

    it('begin again after a hold if the root has not paused the batch, and failures count from 0', async () => {
      const page = worker({ options: { maxSameFailures: 2 } })();
      page.ended(failed);
      expect(page.ended(failed)).toBe(true);
      const waits = enter(page, 1);
      await jest.advanceTimersByTimeAsync(HOLD_MS - 1);
      expect(await begun(waits)).toBe(0);
      await jest.advanceTimersByTimeAsync(2);
      expect(await begun(waits)).toBe(1);
      expect([page.ended(failed), page.ended(failed)]).toEqual([false, true]);
    });

    it.each([
      ['know equal failures of a page that ended an hour ago', HOUR_MS - 1, true, 2],
      ['forget those of a page that ended earlier', HOUR_MS + 1, false, 1],
    ])('%s', async (_what, afterMs, isReached, count) => {
      const open = worker({ options: { maxSameFailures: 2 } });
      const page = open();
      page.ended(failed);
      page.close();
      await jest.advanceTimersByTimeAsync(afterMs);
      const next = open();
      expect(next.ended(failed)).toBe(isReached);
      expect(next.unreported()).toMatchObject({ worker: 'worker', count });
    });

    it.each([
      ['begin with four again if no page ran for a while', ['close'], 4],
      ['keep their number while a page runs', [], 5],
      ['keep their number if another page began soon', ['close', 'open'], 5],
      ['keep their number while another page runs', ['open', 'close'], 5],
    ])('%s', async (_what, then, expected) => {
      const open = worker();
      const page = open();
      page.ended(completed);
      for (const what of then) {
        if (what === 'close') page.close();
        else open();
      }
      await jest.advanceTimersByTimeAsync(HOLD_MS + 1);
      expect(await begun(enter(open(), 6))).toBe(expected);
    });
  });
});
