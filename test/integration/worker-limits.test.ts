import { describe, expect, it } from '@jest/globals';
import { startRows, writeRows } from '../support/batch-bed';
import { HELD, useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });

describe('limits of an account', () => {
  it('let parts begin as often as it says, over all workers', async () => {
    const { bed } = on;
    const [served] = bed.config.accounts;
    if (served === undefined) throw new Error('The bed has no account.');
    const accounts = [{ ...served, limits: { partsPerSecond: 2, callsPerSecond: 50 } }];
    const stop = await bed.startWorker({ accounts });
    const file = await bed.writeFile('limited.mp4', 6);
    const handle = await bed.start(file.path, { options: { concurrency: 6 } });
    await handle.result();
    const begun = bed.simulator
      .events()
      .filter(({ event }) => event === 'part-begun')
      .map(({ at }) => at);
    const span = Math.max(...begun) - Math.min(...begun);
    // Six parts at two a second, the first one at once.
    expect(begun).toHaveLength(6);
    expect(span).toBeGreaterThan(2_400);
    await stop();
  });

  it('let parts of a batch begin as often as it says', async () => {
    const { bed } = on;
    const [served] = bed.config.accounts;
    if (served === undefined) throw new Error('The bed has no account.');
    const accounts = [{ ...served, limits: { batchPartsPerSecond: 2 } }];
    const stop = await bed.startWorker({ accounts, outputRoots: [bed.folder] });
    const from = bed.simulator.events().at(-1)?.seq ?? 0;
    const batch = await startRows(bed, 'limited', await writeRows(bed, 'limited', 4));
    expect((await batch.result()).counts).toMatchObject({ completed: 4 });
    const begun = bed.simulator
      .events()
      .filter(({ event, seq }) => event === 'part-begun' && seq > from)
      .map(({ at }) => at);
    expect(Math.max(...begun) - Math.min(...begun)).toBeGreaterThan(1_400);
    await stop();
  });
});

describe('parts at once', () => {
  it('are as many as the slots: two uploads of 12 parts have all 24 under way in one worker', async () => {
    const { bed } = on;
    const stop = await bed.startWorker({ slots: { host: 24 } });
    const { path } = await bed.writeFile('many.mp4', 12);
    bed.simulator.fault('hold:24:bytes=1000');
    const options = { ...HELD, concurrency: 12 };
    const uploads = await Promise.all([1, 2].map(() => bed.start(path, { options })));
    let held = 0;
    await bed.simulator.waitFor(({ event }) => event === 'held' && (held += 1) === 24);
    bed.simulator.release();
    const results = await Promise.all(uploads.map((upload) => upload.result()));
    expect(results.map(({ retries }) => retries)).toEqual([0, 0]);
    await stop();
  });
});

describe('the resource tuner', () => {
  it('uploads as the fixed one does', async () => {
    const { bed } = on;
    const stop = await bed.startWorker({ tuner: { targetMemory: 0.95, targetCpu: 0.95 } });
    const file = await bed.writeFile('tuned.mp4', 3);
    const result = await (await bed.start(file.path)).result();
    expect(result.status).toBe('COMPLETED');
    await stop();
  });
});
