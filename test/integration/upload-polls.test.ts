import { systemClock } from '../../api/clock';
import type { Clock } from '../../api/clock';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

const PROCESSING = 6;
const CONTROL_SLOTS = 3;

/** Time never passes on this clock: a poll that keeps its slot for some seconds keeps it forever. */
const startedAt = systemClock.now();
const stoppedClock: Clock = {
  now: () => startedAt,
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
};

it('sessions that are being processed leave control slots free: with twice as many of them, a new upload starts meanwhile', async () => {
  const { fixture } = on;
  fixture.simulator.fault('processing-stuck:always');
  await fixture.startWorker({ slots: { control: CONTROL_SLOTS } }, undefined, { clock: stoppedClock });
  const { path } = await fixture.writeFile('small.mp4', 0.1);
  const processing = await Promise.all(Array.from({ length: PROCESSING }, () => fixture.start(path)));
  let stuck = 0;
  await fixture.simulator.waitFor(
    ({ event, operation }) => event === 'held' && operation === 'processing' && (stuck += 1) === PROCESSING,
  );
  const last = await fixture.start(path);
  let started = 0;
  await fixture.simulator.waitFor(({ event }) => event === 'started' && (started += 1) > PROCESSING);
  expect(fixture.simulator.seen().sessions.filter(({ status }) => status === 'COMPLETED')).toEqual([]);
  fixture.simulator.clearFaults();
  fixture.simulator.release();
  const results = await Promise.all([...processing, last].map((upload) => upload.result()));
  expect(results.map(({ status }) => status)).toEqual(results.map(() => 'COMPLETED'));
});
