import { describe, expect, it } from '@jest/globals';
import { MIB, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const PARTS = 120;
/**
 * About 1.2 times what was measured on a busy machine, since a slow one gathers fewer parts in one workflow task: 69 to
 * 81 events and 124 KB for small parts, 681 to 714 events and 252 KB for large ones.
 */
const BOUNDS = { small: { events: 100, bytes: 150_000 }, large: { events: 800, bytes: 305_000 } };
/** Parts that are really sent had 87 to 90 events and 145 KB. */
const SENT = { events: 108, bytes: 175_000 };

describe('the history of an upload of 120 parts', () => {
  it.each([
    ['small ones', 5, BOUNDS.small],
    ['large ones, each of which is a group', 100, BOUNDS.large],
  ])('stays within its events and bytes: %s', async (_what, partMib, max) => {
    const { fixture } = on;
    const partBytes = partMib * MIB;
    // Only the way in which the workflow requests parts matters; their bytes need not be sent.
    const stop = await fixture.startBareWorker({
      change: () => ({
        pinSources: async ({ inputs }) =>
          inputs.map(({ input: { source } }) => ({
            value: { source, bytes: PARTS * partBytes, fingerprint: 'f', fileName: 'film.mp4' },
          })),
        sendParts: async ({ inputs }) =>
          inputs.map(({ input: { partNumber, bytes } }) => ({
            value: { partNumber, eTag: 'e', verified: true, bytes, attempts: 1, ms: 1 },
          })),
        completeSessions: async ({ inputs }) =>
          inputs.map(({ input: { uploadId } }) => ({
            value: { uploadId, status: 'COMPLETED', parts: [], raw: {} },
          })),
      }),
    });
    const handle = await fixture.start('/film.mp4', { options: { partBytes } });
    const result = await handle.result();
    await stop();
    const { historyLength, historySize } = await fixture.connection.client.workflow
      .getHandle(handle.workflowId)
      .describe();
    expect(result.parts).toHaveLength(PARTS);
    expect(historyLength).toBeLessThanOrEqual(max.events);
    expect(historySize).toBeLessThan(max.bytes);
  });

  it('stays as short when the parts are really sent, and every part is sent once', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker();
    const file = await fixture.writeFile('many.mp4', PARTS);
    const handle = await fixture.start(file.path, { options: { concurrency: 4 } });
    const result = await handle.result();
    await stop();
    const { historyLength, historySize } = await fixture.connection.client.workflow
      .getHandle(handle.workflowId)
      .describe();
    expect(historyLength).toBeLessThanOrEqual(SENT.events);
    expect(historySize).toBeLessThan(SENT.bytes);
    const session = fixture.session(result.uploadId);
    expect(session.parts.map(({ puts }) => puts)).toEqual(Array(PARTS).fill(1));
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  });
});
