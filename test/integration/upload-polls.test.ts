import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../api/clock';
import { systemClock } from '../../api/system-clock';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });

const PROCESSING = 20;
const CONTROL_SLOTS = 3;

/** On this clock nothing takes any time: a poll that stays in its slot for some seconds stays for ever. */
const startedAt = systemClock.now();
const stoppedClock: Clock = {
  now: () => startedAt,
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
};

describe('sessions that are being processed', () => {
  it('leave control slots free: with 20 of them and 3 slots a new upload starts while all are still processed', async () => {
    const { bed } = on;
    bed.simulator.fault('processing-stuck:always');
    await bed.startWorker({ slots: { control: CONTROL_SLOTS } }, undefined, { clock: stoppedClock });
    const { path } = await bed.writeFile('small.mp4', 0.1);
    const processing = await Promise.all(Array.from({ length: PROCESSING }, () => bed.start(path)));
    let stuck = 0;
    await bed.simulator.waitFor(
      ({ event, operation }) => event === 'held' && operation === 'processing' && (stuck += 1) === PROCESSING,
    );
    const last = await bed.start(path);
    let started = 0;
    await bed.simulator.waitFor(({ event }) => event === 'started' && (started += 1) > PROCESSING);
    expect(bed.simulator.seen().sessions.filter(({ status }) => status === 'COMPLETED')).toEqual([]);
    bed.simulator.clearFaults();
    bed.simulator.release();
    const results = await Promise.all([...processing, last].map((upload) => upload.result()));
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'COMPLETED'));
  });
});
