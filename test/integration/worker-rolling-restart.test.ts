import { describe, expect, it } from '@jest/globals';
import { MIB, useUploadBed } from '../support/upload-bed';
import type { WorkerProcess } from '../support/worker-process';

const on = useUploadBed({ worker: false });
const UPLOADS = 3;
const PARTS = 3;

/** Resolves when so many parts are stored in all, also where they have been for long: a new worker can take its time to start. */
async function storedInAll(count: number): Promise<void> {
  const { simulator } = on.bed;
  let from = 0;
  for (let seen = 0; seen < count; seen += 1) {
    const event = await simulator.waitFor(({ seq, event: name }) => seq > from && name === 'part-stored');
    from = event.seq;
  }
}

describe('a rolling restart of all workers', () => {
  it('completes every upload, and no part that could end within the grace is sent twice', async () => {
    const { bed } = on;
    // A part takes some seconds here, and the grace is longer.
    const slowly = { bandwidth: 4 * MIB, shutdownGraceMs: 30_000, slots: { transfer: 3 } };
    const first = await bed.startWorkerProcess(slowly);
    const handles = await Promise.all(
      Array.from({ length: UPLOADS }, async (_, number) => {
        const { path } = await bed.writeFile(`film-${String(number)}.mp4`, PARTS);
        return bed.start(path, { source: { kind: 'path', path }, options: { concurrency: 2 } });
      }),
    );
    let running: WorkerProcess = first;
    const exits: (number | null)[] = [];
    for (const parts of [2, 4]) {
      await storedInAll(parts);
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
  });

  it('hands a part over at once that could not end within the grace', async () => {
    const { bed } = on;
    // The part would take 20 minutes and the grace is longer than the test may last: waiting for either ends it.
    const first = await bed.startWorkerProcess({ bandwidth: MIB / 256, shutdownGraceMs: 600_000 });
    const { path, sha256 } = await bed.writeFile('long.mp4', 1);
    const options = { minimumThroughput: 0, stallMs: 60_000 };
    const known = bed.simulator.seen().sessions.length;
    const last = bed.simulator.events().at(-1)?.seq ?? 0;
    const begun = bed.simulator.waitFor(({ seq, event }) => seq > last && event === 'part-begun');
    const handle = await bed.start(path, { source: { kind: 'path', path }, options });
    await begun;
    const second = await bed.startWorkerProcess();
    expect(await first.kill('SIGTERM')).toBe(0);
    const result = await handle.result();
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([2]);
    const [session] = bed.simulator.seen().sessions.slice(known);
    expect(await bed.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
    await second.kill('SIGTERM');
  });
});
