import { afterEach, describe, expect, it } from '@jest/globals';
import { untilOutcomesKept } from '../support/kept-outcomes';
import { HELD, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
/** A lost worker is noticed by its missing heartbeats. */
const options = { ...HELD, concurrency: 1, heartbeatMs: 8_000 };
let stopReplacement: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stopReplacement?.();
  stopReplacement = undefined;
});

/** Resolves with the next event that matches. */
function next(matches: Parameters<typeof on.fixture.simulator.waitFor>[0]): Promise<unknown> {
  const { simulator } = on.fixture;
  const from = simulator.events().length;
  return simulator.waitFor((event) => event.seq > from && matches(event));
}

describe('a worker that is lost', () => {
  it('by SIGKILL in the middle of a part is replaced: no stored part is sent again, one session, one complete', async () => {
    const { fixture } = on;
    const worker = await fixture.startWorkerProcess();
    fixture.simulator.fault('hold:part=3,bytes=1000000');
    const held = next(({ event }) => event === 'held');
    const file = await fixture.writeFile('film.mp4', 5);
    const handle = await fixture.start(file.path, { options });
    await held;
    await untilOutcomesKept(fixture.connection, handle.workflowId, 2);
    await worker.kill('SIGKILL');
    fixture.simulator.release();
    stopReplacement = await fixture.startWorker();
    const result = await handle.result();
    const session = fixture.session(result.uploadId);
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    const others = session.parts.filter(({ partNumber }) => partNumber !== 3);
    expect(others.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1, 1]);
    expect(fixture.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1, completesRefused: 0 });
  });

  it('by SIGTERM in the middle of a part requeues the part, and ends by itself with code 0', async () => {
    const { fixture } = on;
    const worker = await fixture.startWorkerProcess();
    fixture.simulator.fault('hold:part=2,bytes=1000000');
    const held = next(({ event }) => event === 'held');
    const file = await fixture.writeFile('drained.mp4', 3);
    const handle = await fixture.start(file.path, { options });
    await held;
    expect(await worker.kill('SIGTERM')).toBe(0);
    fixture.simulator.release();
    stopReplacement = await fixture.startWorker();
    const result = await handle.result();
    const session = fixture.session(result.uploadId);
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 2, 1]);
    expect(session).toMatchObject({ completesAccepted: 1, completesRefused: 0 });
  });

  it('by SIGKILL during a start leaves a session that is found and named before a second one is made', async () => {
    const { fixture } = on;
    const known = fixture.simulator.seen().sessions.length;
    const worker = await fixture.startWorkerProcess();
    fixture.simulator.fault('start-silent');
    const started = next(({ event }) => event === 'started');
    const file = await fixture.writeFile('orphaned.mp4', 1);
    const handle = await fixture.start(file.path, { options });
    await started;
    await worker.kill('SIGKILL');
    stopReplacement = await fixture.startWorker();
    const result = await handle.result();
    const [orphan, session, ...more] = fixture.simulator.seen().sessions.slice(known);
    expect(more).toEqual([]);
    expect(result.uploadId).toBe(session?.uploadId);
    expect(result.orphans).toEqual([expect.objectContaining({ mediaId: orphan?.mediaId })]);
  });

  it('by SIGKILL during complete does not complete twice', async () => {
    const { fixture } = on;
    const worker = await fixture.startWorkerProcess();
    fixture.simulator.fault('complete-silent');
    const accepted = next(({ event }) => event === 'complete-accepted');
    const file = await fixture.writeFile('accepted.mp4', 1);
    const handle = await fixture.start(file.path, { options });
    await accepted;
    await worker.kill('SIGKILL');
    stopReplacement = await fixture.startWorker();
    const result = await handle.result();
    expect(fixture.session(result.uploadId)).toMatchObject({ completesAccepted: 1, completesRefused: 0 });
    expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(file.sha256);
  });
});
