import { afterEach, describe, expect, it } from '@jest/globals';
import { untilOutcomesKept } from '../support/kept-outcomes';
import { HELD, useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
/** That a worker is lost shows by its heartbeats. */
const options = { ...HELD, concurrency: 1, heartbeatMs: 8_000 };
let stopReplacement: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stopReplacement?.();
  stopReplacement = undefined;
});

/** Resolves with the next event that matches. */
function next(matches: Parameters<typeof on.bed.simulator.waitFor>[0]): Promise<unknown> {
  const { simulator } = on.bed;
  const from = simulator.events().length;
  return simulator.waitFor((event) => event.seq > from && matches(event));
}

describe('a worker that is lost', () => {
  it('by SIGKILL in mid-part is replaced by another one: no stored part is sent again, one session, one complete', async () => {
    const { bed } = on;
    const worker = await bed.startWorkerProcess();
    bed.simulator.fault('hold:part=3,bytes=1000000');
    const held = next(({ event }) => event === 'held');
    const file = await bed.writeFile('film.mp4', 5);
    const handle = await bed.start(file.path, { options });
    await held;
    await untilOutcomesKept(bed.connection, handle.workflowId, 2);
    await worker.kill('SIGKILL');
    bed.simulator.release();
    stopReplacement = await bed.startWorker();
    const result = await handle.result();
    const session = bed.session(result.uploadId);
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    const others = session.parts.filter(({ partNumber }) => partNumber !== 3);
    expect(others.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1, 1]);
    expect(bed.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1, completesRefused: 0 });
  });

  it('by SIGTERM in mid-part gives the part back, and ends by itself with code 0', async () => {
    const { bed } = on;
    const worker = await bed.startWorkerProcess();
    bed.simulator.fault('hold:part=2,bytes=1000000');
    const held = next(({ event }) => event === 'held');
    const file = await bed.writeFile('drained.mp4', 3);
    const handle = await bed.start(file.path, { options });
    await held;
    expect(await worker.kill('SIGTERM')).toBe(0);
    bed.simulator.release();
    stopReplacement = await bed.startWorker();
    const result = await handle.result();
    const session = bed.session(result.uploadId);
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 2, 1]);
    expect(session).toMatchObject({ completesAccepted: 1, completesRefused: 0 });
  });

  it('by SIGKILL in mid-start leaves a session that is searched for and named before a second one is made', async () => {
    const { bed } = on;
    const known = bed.simulator.seen().sessions.length;
    const worker = await bed.startWorkerProcess();
    bed.simulator.fault('start-silent');
    const started = next(({ event }) => event === 'started');
    const file = await bed.writeFile('orphaned.mp4', 1);
    const handle = await bed.start(file.path, { options });
    await started;
    await worker.kill('SIGKILL');
    stopReplacement = await bed.startWorker();
    const result = await handle.result();
    const [orphan, session, ...more] = bed.simulator.seen().sessions.slice(known);
    expect(more).toEqual([]);
    expect(result.uploadId).toBe(session?.uploadId);
    expect(result.orphans).toEqual([expect.objectContaining({ mediaId: orphan?.mediaId })]);
  });

  it('by SIGKILL in mid-complete does not complete twice', async () => {
    const { bed } = on;
    const worker = await bed.startWorkerProcess();
    bed.simulator.fault('complete-silent');
    const accepted = next(({ event }) => event === 'complete-accepted');
    const file = await bed.writeFile('accepted.mp4', 1);
    const handle = await bed.start(file.path, { options });
    await accepted;
    await worker.kill('SIGKILL');
    stopReplacement = await bed.startWorker();
    const result = await handle.result();
    expect(bed.session(result.uploadId)).toMatchObject({ completesAccepted: 1, completesRefused: 0 });
    expect(await bed.simulator.objectSha256(bed.session(result.uploadId).keyName)).toBe(file.sha256);
  });
});
