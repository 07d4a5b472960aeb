import { describe, expect, it } from '@jest/globals';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
const options = { concurrency: 1, stallMs: 30_000, heartbeatMs: 2_000 };

describe('a worker that is lost in mid-part', () => {
  it('by SIGKILL is replaced by another one: no stored part is sent again, one session, one complete', async () => {
    const { bed } = on;
    const worker = await bed.startWorkerProcess();
    bed.simulator.fault('hold:part=3,bytes=1000000');
    const file = await bed.writeFile('film.mp4', 5);
    const handle = await bed.start(file.path, { options });
    await bed.simulator.waitFor(({ event }) => event === 'held');
    await worker.kill('SIGKILL');
    bed.simulator.release();
    await bed.startWorker();
    const result = await handle.result();
    const session = bed.session(result.uploadId);
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    const others = session.parts.filter(({ partNumber }) => partNumber !== 3);
    expect(others.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1, 1]);
    expect(bed.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1, completesRefused: 0 });
  }, 90_000);

  it('by SIGTERM gives the part back at once, and ends by itself with code 0', async () => {
    const { bed } = on;
    const stopThis = await bed.startWorker();
    await stopThis();
    const first = await bed.startWorkerProcess();
    const held = bed.simulator.events().length;
    bed.simulator.fault('hold:part=2,bytes=1000000');
    const file = await bed.writeFile('drained.mp4', 3);
    const handle = await bed.start(file.path, { options });
    await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > held);
    expect(await first.kill('SIGTERM')).toBe(0);
    bed.simulator.release();
    await bed.startWorker();
    const result = await handle.result();
    expect(await bed.simulator.objectSha256(bed.session(result.uploadId).keyName)).toBe(file.sha256);
    expect(bed.session(result.uploadId)).toMatchObject({ completesAccepted: 1 });
  }, 90_000);
});
