import { describe, expect, it } from '@jest/globals';
import { MIB, useUploadBed } from '../support/upload-bed';
import type { WorkerProcess } from '../support/worker-process';

const on = useUploadBed({ worker: false });
const UPLOADS = 3;
const PARTS = 3;

/** Resolves when so many parts more have been stored. */
async function stored(count: number): Promise<void> {
  const { simulator } = on.bed;
  let from = simulator.events().at(-1)?.seq ?? 0;
  for (let seen = 0; seen < count; seen += 1) {
    const event = await simulator.waitFor(({ seq, event: name }) => seq > from && name === 'part-stored');
    from = event.seq;
  }
}

describe('a rolling restart of all workers', () => {
  it('completes every upload, and no part that could end within the grace is sent twice', async () => {
    const { bed } = on;
    // A part takes some seconds here, and the grace is longer.
    const slowly = { bandwidth: 5 * MIB, shutdownGraceMs: 30_000, slots: { transfer: 3 } };
    const first = await bed.startWorkerProcess(slowly);
    const handles = await Promise.all(
      Array.from({ length: UPLOADS }, async (_, number) => {
        const { path } = await bed.writeFile(`film-${String(number)}.mp4`, PARTS);
        return bed.start(path, { source: { kind: 'path', path }, options: { concurrency: 2 } });
      }),
    );
    let running: WorkerProcess = first;
    const exits: (number | null)[] = [];
    for (let round = 0; round < 2; round += 1) {
      await stored(2);
      const next = await bed.startWorkerProcess(slowly);
      exits.push(await running.kill('SIGTERM'));
      running = next;
    }
    const results = await Promise.all(handles.map((handle) => handle.result()));
    exits.push(await running.kill('SIGTERM'));
    expect(exits).toEqual([0, 0, 0]);
    expect(results.map(({ status }) => status)).toEqual(Array(UPLOADS).fill('COMPLETED'));
    const { sessions } = bed.simulator.seen();
    expect(sessions.flatMap(({ parts }) => parts.map(({ puts }) => puts))).toEqual(
      Array(UPLOADS * PARTS).fill(1),
    );
    expect(bed.simulator.events().filter(({ event }) => event === 'part-broken')).toEqual([]);
    expect(results.flatMap(({ parts }) => parts.map(({ attempts }) => attempts))).toEqual(
      Array(UPLOADS * PARTS).fill(1),
    );
  }, 120_000);

  it('hands a part over at once that could not end within the grace', async () => {
    const { bed } = on;
    const first = await bed.startWorkerProcess({ bandwidth: MIB / 16, shutdownGraceMs: 50_000 });
    const { path, sha256 } = await bed.writeFile('long.mp4', 1);
    const options = { minimumThroughput: 0, stallMs: 30_000 };
    const known = bed.simulator.seen().sessions.length;
    const last = bed.simulator.events().at(-1)?.seq ?? 0;
    const begun = bed.simulator.waitFor(({ seq, event }) => seq > last && event === 'part-begun');
    const handle = await bed.start(path, { source: { kind: 'path', path }, options });
    await begun;
    const second = await bed.startWorkerProcess();
    const from = performance.now();
    expect(await first.kill('SIGTERM')).toBe(0);
    const result = await handle.result();
    // Far from the 80 s that the part would have taken, and from the grace.
    expect(performance.now() - from).toBeLessThan(30_000);
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([2]);
    const [session] = bed.simulator.seen().sessions.slice(known);
    expect(await bed.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
    await second.kill('SIGTERM');
  }, 120_000);
});
