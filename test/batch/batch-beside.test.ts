import { progressWhen, startRows, writeRows } from '../support/batch-fixture';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

describe('a worker with one slot for parts and few for rows', () => {
  it('uploads a single file while a batch takes all slots for rows', async () => {
    const { fixture } = on;
    const { simulator } = fixture;
    const stop = await fixture.startWorker({ slots: { parts: 1, pages: 1, rows: 2 } });
    const rows = await writeRows(fixture, 'beside', 6);
    simulator.fault('hold:2');
    const batch = await startRows(fixture, 'beside', rows, { options: { pageRows: 2, upload: HELD } });
    await progressWhen(batch, ({ counts }) => counts.running === 2);
    const { path } = await fixture.writeFile('single.mp4', 1);
    const upload = await fixture.start(path);
    expect(await upload.result()).toMatchObject({ status: 'COMPLETED' });
    expect((await batch.progress()).counts).toMatchObject({ completed: 0, running: 2 });
    simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 6 });
    await stop();
  });

  it('uploads the small files of a batch while a part of a large one has its only slot', async () => {
    const { fixture } = on;
    const { simulator } = fixture;
    const stop = await fixture.startWorker({ slots: { parts: 1 } });
    const { path } = await fixture.writeFile('large.mp4', 3);
    const from = simulator.events().at(-1)?.seq ?? 0;
    // Only the large file has a second part.
    simulator.fault('hold:1:part=2');
    const options = { smallFileBytes: 1_000_000, upload: { ...HELD, partBytes: PART_BYTES } };
    const rows = [{ id: 'large', source: path, title: 'large' }, ...(await writeRows(fixture, 'small', 4))];
    const batch = await startRows(fixture, 'mixed', rows, { options });
    await simulator.waitFor(({ event, seq }) => event === 'held' && seq > from);
    await progressWhen(batch, ({ counts }) => counts.completed === 4);
    simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 5 });
    await stop();
  });
});
