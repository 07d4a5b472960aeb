import { describe, expect, it } from '@jest/globals';
import { MIB, useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
const PARTS = 120;

describe('the history of the largest upload', () => {
  it('of 120 parts, one after the other, stays below 1,000 events', async () => {
    const { bed } = on;
    // What counts is how the workflow asks for parts; their 6 GB need not be sent for that.
    await bed.startBareWorker({
      change: () => ({
        pinSource: ({ source }) =>
          Promise.resolve({ source, bytes: PARTS * 50 * MIB, fingerprint: 'f', fileName: 'film.mp4' }),
        putPart: ({ partNumber, bytes }) =>
          Promise.resolve({ partNumber, eTag: 'e', verified: true, bytes, attempts: 1, ms: 1 }),
        completeSession: ({ uploadId }) =>
          Promise.resolve({ uploadId, status: 'COMPLETED', parts: [], raw: {} }),
      }),
    });
    const handle = await bed.start('/film.mp4', { options: { concurrency: 1, partBytes: 50 * MIB } });
    const result = await handle.result();
    const { historyLength, historySize } = await bed.connection.client.workflow
      .getHandle(handle.workflowId)
      .describe();
    expect(result.parts).toHaveLength(PARTS);
    expect(historyLength).toBeLessThan(1_000);
    expect(historySize).toBeLessThan(1_000_000);
  });
});
