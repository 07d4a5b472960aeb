import type { WorkerActivities } from '../../temporal/worker/create-worker';
import { historyCost } from '../support/history-cost';
import { MIB, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const PARTS = 120;
/** An activity is three events, and causes at most one workflow task of three. The start causes one too. */
const EVENTS_PER_ACTIVITY = 6;
/** Start and end of the workflow, a note of its progress, and the first workflow task. */
const OTHER_EVENTS = 6;
/** Pin, start, complete and poll. */
const OTHER_ACTIVITIES = 4;
/** About 1.2 times what was measured: 124 KB for 10 runs, 252 KB for 120. */
const MAX_BYTES = { small: 150_000, large: 305_000 };

/** Everything that such an upload may cost. One more event per part would be too many. */
const maxEvents = (runs: number): number => OTHER_EVENTS + EVENTS_PER_ACTIVITY * (runs + OTHER_ACTIVITIES);

/** The steps of an upload of a file with `bytes` bytes that take no time. */
function instantSteps(bytes: number): Partial<WorkerActivities> {
  const sent = { eTag: 'e'.repeat(32), verified: true, attempts: 1, ms: 1 };
  return {
    pinSource: async ({ source }) => ({ source, bytes, fingerprint: 'f', fileName: 'film.mp4' }),
    sendParts: async ({ parts }) =>
      parts.map(({ partNumber, bytes: partBytes }) => ({ ...sent, partNumber, bytes: partBytes })),
    completeSession: async ({ uploadId }) => ({ uploadId, status: 'COMPLETED', parts: [] }),
  };
}

it.each([
  // A run holds 64 MiB: 12 of these parts.
  { what: 'small ones', partMib: 5, runs: 10, bytes: MAX_BYTES.small },
  { what: 'large ones, each of which is a run', partMib: 100, runs: PARTS, bytes: MAX_BYTES.large },
])(
  'the history of an upload of 120 parts stays within its activities, events and bytes: $what',
  async ({ partMib, runs, bytes }) => {
    const { fixture } = on;
    const partBytes = partMib * MIB;
    // Only the way in which the workflow requests parts matters; their bytes need not be sent.
    const steps = instantSteps(PARTS * partBytes);
    const stop = await fixture.startBareWorker({ change: () => steps });
    const handle = await fixture.start('/film.mp4', { options: { partBytes } });
    const result = await handle.result();
    await stop();
    const cost = await historyCost(fixture.connection, handle.workflowId);
    expect(result.parts).toHaveLength(PARTS);
    expect(cost.activities).toEqual({
      pinSource: 1,
      startSession: 1,
      sendParts: runs,
      completeSession: 1,
    });
    expect(cost.events + cost.tasks).toBeLessThanOrEqual(maxEvents(runs));
    expect(cost.bytes).toBeLessThan(bytes);
  },
);
