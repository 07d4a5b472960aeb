import { describe, expect, it } from '@jest/globals';
import { PROGRESS_QUERY } from '../../temporal/contract/upload';
import type { UploadProgress } from '../../temporal/contract/upload';
import { HELD, MIB, PART_BYTES, useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();
/** So large that each part is a group of its own: a running group ends, and no further one begins. */
const PART_MIB = 35;
const PARTS = 4;

describe('an upload that is paused', () => {
  it('ends its running group of parts, begins none until it is resumed, and then continues', async () => {
    const { fixture } = on;
    fixture.simulator.fault('hold:part=2');
    const file = await fixture.writeFile('film.mp4', (PARTS * PART_MIB * MIB) / PART_BYTES);
    const options = { ...HELD, concurrency: 1, partBytes: PART_MIB * MIB };
    const handle = await fixture.start(file.path, { options });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    await handle.pause();
    await handle.pause();
    fixture.simulator.release();
    await fixture.simulator.waitFor(({ event, part }) => event === 'part-stored' && part === 2);
    const begun = () => fixture.simulator.events().filter(({ event }) => event === 'part-begun').length;
    // The workflow answers once the part's result is in. By then it would have begun any further part.
    const workflow = fixture.connection.client.workflow.getHandle(handle.workflowId);
    const progress = await until(
      'no part is being sent',
      () => workflow.query<UploadProgress>(PROGRESS_QUERY),
      ({ partsRunning }) => partsRunning.length === 0,
    );
    expect(progress).toMatchObject({ phase: 'uploading', paused: true, partsDone: 2, partsRunning: [] });
    expect(begun()).toBe(2);
    await handle.resume();
    const result = await handle.result();
    const session = fixture.session(result.uploadId);
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    expect(session.parts.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
  });

  it('after its last part still ends', async () => {
    const { fixture } = on;
    fixture.simulator.fault('processing-stuck');
    const file = await fixture.writeFile('late.mp4', 1);
    const handle = await fixture.start(file.path);
    await fixture.simulator.waitFor(({ event, operation }) => event === 'held' && operation === 'processing');
    await handle.pause();
    fixture.simulator.release();
    expect((await handle.result()).status).toBe('COMPLETED');
  });
});
