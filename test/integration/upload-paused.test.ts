import { describe, expect, it } from '@jest/globals';
import { PROGRESS_QUERY } from '../../temporal/contract';
import type { UploadProgress } from '../../temporal/contract';
import { HELD, MIB, PART_BYTES, useUploadBed } from '../support/upload-bed';

const on = useUploadBed();
/** So large that each part is a group of its own: a group under way ends, and no further one begins. */
const PART_MIB = 35;
const PARTS = 4;

describe('an upload that is paused', () => {
  it('ends its running group of parts, begins none until it is resumed, and then goes on where it was', async () => {
    const { bed } = on;
    bed.simulator.fault('hold:part=2');
    const file = await bed.writeFile('film.mp4', (PARTS * PART_MIB * MIB) / PART_BYTES);
    const options = { ...HELD, concurrency: 1, partBytes: PART_MIB * MIB };
    const handle = await bed.start(file.path, { options });
    await bed.simulator.waitFor(({ event }) => event === 'held');
    await handle.pause();
    await handle.pause();
    bed.simulator.release();
    await bed.simulator.waitFor(({ event, part }) => event === 'part-stored' && part === 2);
    const begun = () => bed.simulator.events().filter(({ event }) => event === 'part-begun').length;
    // The workflow has answered once the part's result is in; what it would begin, it would have begun by then.
    const workflow = bed.connection.client.workflow.getHandle(handle.workflowId);
    let progress = await workflow.query<UploadProgress>(PROGRESS_QUERY);
    while (progress.partsRunning.length > 0) progress = await workflow.query<UploadProgress>(PROGRESS_QUERY);
    expect(progress).toMatchObject({ phase: 'uploading', paused: true, partsDone: 2, partsRunning: [] });
    expect(begun()).toBe(2);
    await handle.resume();
    const result = await handle.result();
    const session = bed.session(result.uploadId);
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    expect(session.parts.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
  });

  it('after its last part goes on to its end', async () => {
    const { bed } = on;
    bed.simulator.fault('processing-stuck');
    const file = await bed.writeFile('late.mp4', 1);
    const handle = await bed.start(file.path);
    await bed.simulator.waitFor(({ event, operation }) => event === 'held' && operation === 'processing');
    await handle.pause();
    bed.simulator.release();
    expect((await handle.result()).status).toBe('COMPLETED');
  });
});
