import { describe, expect, it } from '@jest/globals';
import { MIB, useUploadFixture } from '../support/upload-fixture';
import type { WorkerProcess } from '../support/worker-process';

const on = useUploadFixture({ worker: false });
const UPLOADS = 3;
const PARTS = 3;

/**
 * Resolves when `count` parts are stored in total, including earlier ones, since a new worker may take long to start.
 */
async function storedInAll(count: number): Promise<void> {
  const { simulator } = on.fixture;
  let from = 0;
  for (let seen = 0; seen < count; seen += 1) {
    const event = await simulator.waitFor(({ seq, event: name }) => seq > from && name === 'part-stored');
    from = event.seq;
  }
}

describe('a rolling restart of all workers', () => {
  it('completes every upload, and sends no part twice that could end within the grace period', async () => {
    const { fixture } = on;
    // A part takes some seconds here, and the grace period is longer.
    const slowly = { bandwidth: 4 * MIB, shutdownGraceMs: 30_000, slots: { transfer: 3 } };
    const first = await fixture.startWorkerProcess(slowly);
    const handles = await Promise.all(
      Array.from({ length: UPLOADS }, async (_, number) => {
        const { path } = await fixture.writeFile(`film-${String(number)}.mp4`, PARTS);
        return fixture.start(path, { source: { kind: 'path', path }, options: { concurrency: 2 } });
      }),
    );
    let running: WorkerProcess = first;
    const exits: (number | null)[] = [];
    for (const parts of [2, 4]) {
      await storedInAll(parts);
      const next = await fixture.startWorkerProcess(slowly);
      exits.push(await running.kill('SIGTERM'));
      running = next;
    }
    const results = await Promise.all(handles.map((handle) => handle.result()));
    exits.push(await running.kill('SIGTERM'));
    expect(exits).toEqual([0, 0, 0]);
    expect(results.map(({ status }) => status)).toEqual(Array(UPLOADS).fill('COMPLETED'));
    const { sessions } = fixture.simulator.seen();
    expect(sessions.flatMap(({ parts }) => parts.map(({ puts }) => puts))).toEqual(
      Array(UPLOADS * PARTS).fill(1),
    );
    expect(fixture.simulator.events().filter(({ event }) => event === 'part-broken')).toEqual([]);
  });

  it("requeues a part at once if it can't end within the grace period", async () => {
    const { fixture } = on;
    // The part would take 20 minutes, and the grace period is longer than the test's time limit. Waiting for either
    // fails the test.
    const first = await fixture.startWorkerProcess({ bandwidth: MIB / 256, shutdownGraceMs: 600_000 });
    const { path, sha256 } = await fixture.writeFile('long.mp4', 1);
    const options = { minimumThroughput: 0, stallMs: 60_000 };
    const known = fixture.simulator.seen().sessions.length;
    const last = fixture.simulator.events().at(-1)?.seq ?? 0;
    const begun = fixture.simulator.waitFor(({ seq, event }) => seq > last && event === 'part-begun');
    const handle = await fixture.start(path, { source: { kind: 'path', path }, options });
    await begun;
    const second = await fixture.startWorkerProcess();
    expect(await first.kill('SIGTERM')).toBe(0);
    const result = await handle.result();
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([2]);
    const [session] = fixture.simulator.seen().sessions.slice(known);
    expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
    await second.kill('SIGTERM');
  });
});
