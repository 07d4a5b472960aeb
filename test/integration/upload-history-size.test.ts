import { describe, expect, it } from '@jest/globals';
import { MIB, useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
const PARTS = 120;

describe('the history of an upload of 120 parts', () => {
  it.each([
    ['small ones', 5, 150],
    ['large ones, each of which is a group', 100, 800],
  ])('%s has at most so many events', async (_what, partMib, maxEvents) => {
    const { bed } = on;
    const partBytes = partMib * MIB;
    // What counts is how the workflow asks for parts; their bytes need not be sent for that.
    const stop = await bed.startBareWorker({
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
    const handle = await bed.start('/film.mp4', { options: { partBytes } });
    const result = await handle.result();
    await stop();
    const { historyLength, historySize } = await bed.connection.client.workflow
      .getHandle(handle.workflowId)
      .describe();
    expect(result.parts).toHaveLength(PARTS);
    expect(historyLength).toBeLessThanOrEqual(maxEvents);
    expect(historySize).toBeLessThan(1_000_000);
  });

  it('that are really sent is as short, and every part is sent once', async () => {
    const { bed } = on;
    const stop = await bed.startWorker();
    const file = await bed.writeFile('many.mp4', PARTS);
    const handle = await bed.start(file.path, { options: { concurrency: 4 } });
    const result = await handle.result();
    await stop();
    const { historyLength } = await bed.connection.client.workflow.getHandle(handle.workflowId).describe();
    expect(historyLength).toBeLessThanOrEqual(150);
    const session = bed.session(result.uploadId);
    expect(session.parts.map(({ puts }) => puts)).toEqual(Array(PARTS).fill(1));
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  });
});
