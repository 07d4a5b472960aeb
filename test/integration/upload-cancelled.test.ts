import { describe, expect, it } from '@jest/globals';
import { HELD, useUploadBed } from '../support/upload-bed';

const on = useUploadBed();
/** A cancel comes with the answer to a heartbeat. */
const SOON = { heartbeatMs: 4_000 };

describe('an upload that is cancelled', () => {
  it('in mid-part ends the running PUTs, sends no complete and says what stays', async () => {
    const { bed } = on;
    bed.simulator.fault('put-trickle:always:part=2,rate=100000');
    const file = await bed.writeFile('film.mp4', 4);
    const options = { ...HELD, ...SOON, concurrency: 1 };
    const handle = await bed.start(file.path, { options });
    await bed.simulator.waitFor(({ event }) => event === 'fault');
    await handle.cancel();
    const { uploadId, mediaId } = bed.session();
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Cancelled',
      facts: {
        details: { uploadId, mediaId },
        hint: expect.stringContaining(`session ${uploadId} and its parts stay`),
      },
    });
    const broken = await bed.simulator.waitFor(({ event, part }) => event === 'part-broken' && part === 2);
    bed.simulator.clearFaults();
    expect(broken.part).toBe(2);
    expect(bed.session().parts.map(({ partNumber }) => partNumber)).toEqual([1]);
    expect(bed.simulator.seen()).toMatchObject({ completesAccepted: 0, completesRefused: 0, starts: 1 });
    const description = await bed.connection.client.workflow.getHandle(handle.workflowId).describe();
    expect(description.status.name).toBe('CANCELLED');
  });

  it('after complete was sent only stops waiting, and the service goes on', async () => {
    const { bed } = on;
    const before = bed.simulator.seen().completesAccepted;
    bed.simulator.fault('processing-stuck');
    const file = await bed.writeFile('accepted.mp4', 1);
    const handle = await bed.start(file.path, { options: SOON });
    await bed.simulator.waitFor(({ event, operation }) => event === 'held' && operation === 'processing');
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Cancelled',
      message: expect.stringContaining('complete was sent'),
    });
    expect(bed.simulator.seen().completesAccepted - before).toBe(1);
    bed.simulator.release();
    await bed.simulator.waitFor(({ event, reason }) => event === 'session-ended' && reason === 'COMPLETED');
  });

  it('is started anew by the next start of the same id', async () => {
    const { bed } = on;
    bed.simulator.fault('hold:always:part=1');
    const held = bed.simulator.events().length;
    const file = await bed.writeFile('once-more.mp4', 1);
    const again = { ingestKey: 'once-more', options: { ...HELD, ...SOON } };
    const handle = await bed.start(file.path, again);
    await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > held);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: 'Cancelled' });
    bed.simulator.clearFaults();
    const second = await bed.start(file.path, again);
    expect([second.workflowId, second.joined]).toEqual([handle.workflowId, false]);
    expect((await second.result()).status).toBe('COMPLETED');
  });

  it('is not joined while it is being cancelled: the error says when to start it again', async () => {
    const { bed } = on;
    const file = await bed.writeFile('ending.mp4', 1);
    // Nobody serves this queue, so the cancellation stays on its way.
    const same = [file.path, { ingestKey: 'ending' }, { queuePrefix: 'nobody' }] as const;
    const first = await bed.start(...same);
    await first.cancel();
    await expect(bed.start(...same)).rejects.toMatchObject({
      code: 'Cancelled',
      message: `The upload ${first.workflowId} is being cancelled.`,
      facts: { hint: expect.stringContaining('once it has ended') },
    });
  });

  it.each(['cancelled', 'terminated'])(
    'is not uploaded a second time if it was %s after complete was sent',
    async (how) => {
      const { bed } = on;
      const from = bed.simulator.events().length;
      const { starts } = bed.simulator.seen();
      bed.simulator.fault('processing-stuck');
      const file = await bed.writeFile(`${how}.mp4`, 1);
      const same = { ingestKey: how, options: SOON };
      const first = await bed.start(file.path, same);
      await bed.simulator.waitFor(({ event, seq }) => event === 'complete-accepted' && seq > from);
      if (how === 'cancelled') await first.cancel();
      else await bed.connection.client.workflow.getHandle(first.workflowId).terminate('by hand');
      await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
      const second = await bed.start(file.path, same);
      bed.simulator.release();
      const uploadId = bed.simulator.seen().sessions.at(-1)?.uploadId;
      expect(await second.result()).toMatchObject({ uploadId, fileName: `${how}.mp4`, earlier: true });
      expect(bed.simulator.seen().starts - starts).toBe(1);
    },
  );
});
