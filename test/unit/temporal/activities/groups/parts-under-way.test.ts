import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { GroupHeartbeats } from '../../../../../temporal/activities/groups/group-heartbeats';
import { createPartsUnderWay } from '../../../../../temporal/activities/groups/parts-under-way';
import type { PartsUnderWay } from '../../../../../temporal/activities/groups/parts-under-way';

const TOTAL = 100;
const INTERVAL_MS = 5_000;
let heartbeats: unknown[] = [];

function heartbeatsOf(transfer: PartsUnderWay): GroupHeartbeats {
  const context = {
    info: { heartbeatTimeoutMs: 4 * INTERVAL_MS },
    heartbeat: (details: unknown) => void heartbeats.push(details),
  } as ConstructorParameters<typeof GroupHeartbeats>[0]['context'];
  const details = () => ({ outcomes: [], tries: [], inputs: [], ended: 0, bytes: transfer.bytes() });
  return new GroupHeartbeats({ context, transfer, details });
}

/** Bytes that each heartbeat reported. */
function bytesReported(): unknown[] {
  return heartbeats.map((details) => (details as { readonly bytes: number }).bytes);
}

beforeEach(() => {
  heartbeats = [];
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the heartbeats of a group of parts', () => {
  it('are not needed if the group ends within a second', () => {
    const parts = createPartsUnderWay();
    const group = heartbeatsOf(parts);
    const part = parts.begin(TOTAL);
    group.note();
    part.onBytes(TOTAL);
    jest.advanceTimersByTime(999);
    group.stop();
    jest.advanceTimersByTime(10 * INTERVAL_MS);
    expect(heartbeats).toEqual([]);
  });

  it('carry new results within a second', () => {
    const parts = createPartsUnderWay();
    const group = heartbeatsOf(parts);
    const part = parts.begin(TOTAL);
    part.onBytes(10);
    group.note();
    jest.advanceTimersByTime(2_000);
    group.stop();
    expect(bytesReported()).toEqual([10]);
  });

  it('are sent once per interval while bytes of any part move, but not while all of them stall', () => {
    const parts = createPartsUnderWay();
    const group = heartbeatsOf(parts);
    const [one, other] = [parts.begin(TOTAL), parts.begin(TOTAL)];
    one.onBytes(10);
    other.onBytes(10);
    jest.advanceTimersByTime(INTERVAL_MS);
    one.onBytes(20);
    jest.advanceTimersByTime(4 * INTERVAL_MS);
    group.stop();
    expect(bytesReported()).toEqual([20, 30]);
  });

  it('are sent while no bytes are due: before the first and after the last of a part, and between parts', () => {
    const parts = createPartsUnderWay();
    const group = heartbeatsOf(parts);
    const part = parts.begin(TOTAL);
    jest.advanceTimersByTime(INTERVAL_MS);
    part.onBytes(TOTAL);
    jest.advanceTimersByTime(INTERVAL_MS);
    part.end(true);
    jest.advanceTimersByTime(INTERVAL_MS);
    group.stop();
    expect(bytesReported()).toEqual([0, TOTAL, TOTAL]);
  });

  it('are sent while a part waits whose bytes count from 0 again', () => {
    const parts = createPartsUnderWay();
    const group = heartbeatsOf(parts);
    const part = parts.begin(TOTAL);
    part.onBytes(50);
    jest.advanceTimersByTime(INTERVAL_MS);
    part.onBytes(0);
    jest.advanceTimersByTime(2 * INTERVAL_MS);
    group.stop();
    expect(bytesReported()).toEqual([50, 0, 0]);
  });

  it('are sent while bytes are held back for bandwidth, for however long', () => {
    const parts = createPartsUnderWay();
    const group = heartbeatsOf(parts);
    const part = parts.begin(TOTAL);
    part.onBytes(10);
    jest.advanceTimersByTime(INTERVAL_MS);
    part.onRate(true);
    jest.advanceTimersByTime(2 * INTERVAL_MS);
    part.onRate(false);
    jest.advanceTimersByTime(2 * INTERVAL_MS);
    group.stop();
    expect(bytesReported()).toEqual([10, 10, 10]);
  });
});
