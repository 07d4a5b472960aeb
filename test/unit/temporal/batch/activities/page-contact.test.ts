import { AsyncResource } from 'node:async_hooks';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { PageContact } from '../../../../../temporal/batch/activities/page-contact';

const TIMEOUT_MS = 10_000;
/** A share of the timeout, after which Temporal may soon start the page elsewhere. */
const USABLE_MS = 8_000;
const SHUTDOWN_GRACE_MS = 5_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Runs with the contact of an attempt whose heartbeats Temporal answers so. */
async function contact(
  heartbeat: () => Promise<void>,
  run: (contact: PageContact, cancelByWorker: () => void, stopping: AbortController) => Promise<void>,
  describePage: () => Promise<unknown> = () => new Promise(() => undefined),
): Promise<void> {
  const client = {
    activity: { heartbeat },
    workflow: { getHandle: () => ({ describe: describePage }) },
    withAbortSignal: (_signal: AbortSignal, inClient: () => Promise<unknown>) => inClient(),
  } as never;
  const info = { heartbeatTimeoutMs: TIMEOUT_MS };
  const worker = new MockActivityEnvironment(info, { client });
  // The SDK calls it outside the activity.
  const cancel = AsyncResource.bind(() => {
    worker.cancel();
  });
  await worker.run(async () => {
    const stopping = new AbortController();
    const page = new PageContact({ stopping, shutdownGraceMs: SHUTDOWN_GRACE_MS }, () => ({}));
    try {
      await run(page, cancel, stopping);
    } finally {
      page.close();
    }
  });
}

const shown = (page: PageContact) => ({
  isLost: page.isLost(),
  stopping: page.stopping.aborted,
  ending: page.ending.aborted,
});
const RUNS = { isLost: false, stopping: false, ending: false };
const LOST = { isLost: true, stopping: true, ending: true };

describe('a page whose heartbeats fail', () => {
  const fails = (): Promise<void> => Promise.reject(new Error('14 UNAVAILABLE'));

  it('continues for 80 % of the heartbeat timeout, and then ends all rows and sends nothing more', async () => {
    await contact(fails, async (page) => {
      await jest.advanceTimersByTimeAsync(USABLE_MS);
      expect(shown(page)).toEqual(RUNS);
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS / 4);
      expect(shown(page)).toEqual(LOST);
    });
  });

  it('continues if one is answered in time, however many fail before and after', async () => {
    let count = 0;
    const thirdAnswered = (): Promise<void> => ((count += 1) % 3 === 0 ? Promise.resolve() : fails());
    await contact(thirdAnswered, async (page) => {
      await jest.advanceTimersByTimeAsync(6 * TIMEOUT_MS);
      expect(shown(page)).toEqual(RUNS);
    });
  });

  it('is not proven alive by an answer that comes after the time: it counts from when it was sent', async () => {
    const late: (() => void)[] = [];
    const waits = (): Promise<void> => new Promise((answer) => late.push(answer));
    await contact(waits, async (page) => {
      await jest.advanceTimersByTimeAsync(USABLE_MS - 1);
      for (const answer of late) answer();
      await jest.advanceTimersByTimeAsync(USABLE_MS + TIMEOUT_MS / 4);
      expect(shown(page)).toEqual(LOST);
    });
  });
});

describe('a page whose heartbeat is answered that', () => {
  it('another attempt has its place ends at once', async () => {
    await contact(
      () => Promise.reject(new ActivityNotFoundError('gone')),
      async (page) => {
        await jest.advanceTimersByTimeAsync(TIMEOUT_MS / 4);
        expect(shown(page)).toEqual(LOST);
      },
    );
  });

  it('it is cancelled begins nothing more, and lets its rows end while Temporal can not say why', async () => {
    await contact(
      () => Promise.reject(new ActivityCancelledError('cancelled')),
      async (page) => {
        await jest.advanceTimersByTimeAsync(TIMEOUT_MS / 4);
        expect(shown(page)).toEqual({ ...RUNS, stopping: true });
        await jest.advanceTimersByTimeAsync(30_000);
        expect(shown(page)).toEqual({ ...RUNS, stopping: true, ending: true });
      },
    );
  });
});

describe('a page that its worker cancels or that stops with it', () => {
  const answered = (): Promise<void> => Promise.resolve();
  const described = (name: string) => () => Promise.resolve({ status: { name } });
  const STOPS = { ...RUNS, stopping: true };

  it('ends its rows at once if its workflow has ended', async () => {
    const run = async (page: PageContact, cancelByWorker: () => void): Promise<void> => {
      cancelByWorker();
      await jest.advanceTimersByTimeAsync(0);
      expect(shown(page)).toEqual({ ...STOPS, ending: true });
    };
    await contact(answered, run, described('TERMINATED'));
  });

  it('lets its rows end for 80 % of the time that the worker has to stop', async () => {
    const run = async (page: PageContact, _cancel: () => void, stopping: AbortController): Promise<void> => {
      stopping.abort();
      await jest.advanceTimersByTimeAsync(SHUTDOWN_GRACE_MS * 0.8 - 1);
      expect(shown(page)).toEqual(STOPS);
      await jest.advanceTimersByTimeAsync(1);
      expect(shown(page)).toEqual({ ...STOPS, ending: true });
    };
    await contact(answered, run);
  });

  it('stays in contact while its rows end, and asks again if Temporal can not say why', async () => {
    const answers = [() => Promise.reject(new Error('14 UNAVAILABLE')), described('TERMINATED')];
    const run = async (page: PageContact, cancelByWorker: () => void): Promise<void> => {
      cancelByWorker();
      await jest.advanceTimersByTimeAsync(0);
      expect(shown(page)).toEqual(STOPS);
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
      expect(shown(page)).toEqual({ ...STOPS, ending: true });
    };
    await contact(answered, run, async () => answers.shift()?.());
  });
});
