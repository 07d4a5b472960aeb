import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { keptUrl, startPartBeats } from '../../../../../temporal/activities/context/part-beats';

const TOTAL = 100;
const INTERVAL_MS = 5_000;
const url = { partNumber: 1, url: { keyId: 'k', sealed: 's' } };
let beats: unknown[] = [];
const context = {
  info: { heartbeatTimeoutMs: 20_000, heartbeatDetails: undefined },
  heartbeat: (details?: unknown) => void beats.push(details),
};

beforeEach(() => {
  beats = [];
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('startPartBeats', () => {
  it('costs a part that ends before the first interval no heartbeat', () => {
    const part = startPartBeats(context, TOTAL);
    part.onBytes(TOTAL);
    jest.advanceTimersByTime(INTERVAL_MS - 1);
    part.stop();
    jest.advanceTimersByTime(10 * INTERVAL_MS);
    expect(beats).toEqual([]);
  });

  it('beats once an interval while bytes go out, and not while they stall', () => {
    const part = startPartBeats(context, TOTAL);
    part.onBytes(10);
    jest.advanceTimersByTime(INTERVAL_MS);
    part.onBytes(20);
    jest.advanceTimersByTime(3 * INTERVAL_MS);
    part.stop();
    expect(beats).toEqual([{ bytes: 10 }, { bytes: 20 }]);
  });

  it('beats while no bytes are due: before the first one and after the last', () => {
    const part = startPartBeats(context, TOTAL);
    jest.advanceTimersByTime(2 * INTERVAL_MS);
    part.onBytes(TOTAL);
    jest.advanceTimersByTime(2 * INTERVAL_MS);
    part.stop();
    expect(beats).toEqual([{ bytes: 0 }, { bytes: 0 }, { bytes: TOTAL }, { bytes: TOTAL }]);
  });

  it('beats while a part waits whose bytes count from 0 again', () => {
    const part = startPartBeats(context, TOTAL);
    part.onBytes(50);
    jest.advanceTimersByTime(INTERVAL_MS);
    part.onBytes(0);
    jest.advanceTimersByTime(3 * INTERVAL_MS);
    part.stop();
    expect(beats).toEqual([{ bytes: 50 }, { bytes: 0 }, { bytes: 0 }, { bytes: 0 }]);
  });

  it('beats while bytes are held back for bandwidth, however long none leaves', () => {
    const part = startPartBeats(context, TOTAL);
    part.onBytes(10);
    jest.advanceTimersByTime(INTERVAL_MS);
    part.onPacing(true);
    jest.advanceTimersByTime(2 * INTERVAL_MS);
    part.onPacing(false);
    jest.advanceTimersByTime(2 * INTERVAL_MS);
    part.stop();
    expect(beats).toEqual([{ bytes: 10 }, { bytes: 10 }, { bytes: 10 }]);
  });

  it('tells of a fresh URL at once, and with every later beat', () => {
    const part = startPartBeats(context, TOTAL);
    part.keep(url);
    part.onBytes(1);
    jest.advanceTimersByTime(INTERVAL_MS);
    part.stop();
    expect(beats).toEqual([
      { bytes: 0, url },
      { bytes: 1, url },
    ]);
  });
});

describe('keptUrl', () => {
  it.each([
    ['an earlier try asked for one', { bytes: 1, url }, url],
    ['an earlier try asked for none', { bytes: 1 }, undefined],
    ['there was no earlier try', undefined, undefined],
  ])('where %s', (_name, heartbeatDetails, kept) => {
    expect(keptUrl({ ...context, info: { ...context.info, heartbeatDetails } })).toEqual(kept);
  });
});
