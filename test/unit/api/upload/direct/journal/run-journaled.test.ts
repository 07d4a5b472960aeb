import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JournaledResult } from '../../../../../../api/upload/direct/journal/continue-upload';
import { runJournaled } from '../../../../../../api/upload/direct/journal/run-journaled';
import type { UploadRequest } from '../../../../../../api/upload/request/upload-request';
import { openDirectFixture, PART_BYTES } from '../../direct-fixture';
import type { DirectFixture } from '../../direct-fixture';
import { failureOf } from '../../failure-of';

let fixture: DirectFixture;
let folder: string;
beforeEach(async () => {
  // A heartbeat's limit is 25 s.
  fixture = await openDirectFixture({ realFromMs: 25_000 });
  folder = path.join(fixture.folder, 'uploads');
});
afterEach(() => fixture.close());

const run = (request: UploadRequest, onWaiting?: (reason: string) => void): Promise<JournaledResult> =>
  runJournaled({
    request,
    service: fixture.service,
    access: fixture.access,
    hooks: {
      onProgress: () => undefined,
      pollDelayMs: 50,
      ...(onWaiting === undefined ? {} : { onWaiting }),
    },
    journal: {
      folder,
      host: 'here',
      seals: { seal: (_id, url) => url, open: (_id, url) => ({ ...url, url: String(url.url) }) },
      again: false,
    },
  });

const lockFile = async (): Promise<string> => {
  const name = (await readdir(folder)).find((one) => one.endsWith('.lock'));
  return path.join(folder, name ?? '');
};
const OTHERS = JSON.stringify({ token: 'other', pid: 7, numbers: 'elsewhere', host: 'there' });

describe('an upload with a journal whose lock another process took over', () => {
  test('stops with a clear error: nothing is completed, and the session stays in the journal', async () => {
    const { path: file } = await fixture.writeFile('film.mp4', 3 * PART_BYTES);
    const request = fixture.request(file);
    fixture.simulator.fault('hold:always:part=3,bytes=1000');
    const running = failureOf(run(request));
    const held = fixture.simulator.waitFor(({ event }) => event === 'held');
    expect(await Promise.race([held, running])).toMatchObject({ event: 'held' });
    const lock = await lockFile();
    // At once, as another process does: the upload may read the lock meanwhile.
    await writeFile(`${lock}.others`, OTHERS);
    await rename(`${lock}.others`, lock);
    const error = await running;
    expect([error.code, error.message]).toEqual([
      'Validation',
      expect.stringMatching(/now belongs to process 7 on there; this upload stops/),
    ]);
    expect(error.facts.hint).toContain('The next run under the ingest key');
    expect(error.facts.details?.['uploadId']).toBe(fixture.simulator.seen().sessions[0]?.uploadId);
    expect(fixture.simulator.seen().completesAccepted).toBe(0);
    // The other process keeps its lock.
    expect(await readFile(lock, 'utf8')).toBe(OTHERS);
    fixture.simulator.clearFaults();
    fixture.simulator.release();
  });

  test("continues in the next run, which first waits for the other one's heartbeat and says so", async () => {
    const { path: file } = await fixture.writeFile('film.mp4', 2 * PART_BYTES);
    const request = fixture.request(file);
    await run(request);
    const reasons: string[] = [];
    const names = await readdir(folder);
    await writeFile(path.join(folder, (names[0] ?? '').replace('.json', '.lock')), OTHERS);
    const { past } = await run(request, (reason) => void reasons.push(reason));
    expect(past.joined).toBe(true);
    expect(reasons).toEqual([expect.stringContaining('locked by process 7 on there')]);
    expect(await readdir(folder)).toEqual(names);
  });
});
