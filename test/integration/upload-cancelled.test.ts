import { describe, expect, it } from '@jest/globals';
import { HELD, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
/** The answer to a heartbeat carries the cancel. */
const SOON = { heartbeatMs: 4_000 };

describe('an upload that is cancelled', () => {
  it('in the middle of a part ends the running PUTs, sends no complete and says what it leaves behind', async () => {
    const { fixture } = on;
    fixture.simulator.fault('put-trickle:always:part=2,rate=100000');
    const file = await fixture.writeFile('film.mp4', 4);
    const options = { ...HELD, ...SOON, concurrency: 1 };
    const handle = await fixture.start(file.path, { options });
    await fixture.simulator.waitFor(({ event }) => event === 'fault');
    await handle.cancel();
    const { uploadId, mediaId } = fixture.session();
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Cancelled',
      facts: {
        details: { uploadId, mediaId },
        hint: expect.stringContaining(`session ${uploadId} and its parts stay`),
      },
    });
    const broken = await fixture.simulator.waitFor(
      ({ event, part }) => event === 'part-broken' && part === 2,
    );
    fixture.simulator.clearFaults();
    expect(broken.part).toBe(2);
    expect(fixture.session().parts.map(({ partNumber }) => partNumber)).toEqual([1]);
    expect(fixture.simulator.seen()).toMatchObject({ completesAccepted: 0, completesRefused: 0, starts: 1 });
    const description = await fixture.connection.client.workflow.getHandle(handle.workflowId).describe();
    expect(description.status.name).toBe('CANCELLED');
  });

  it('ends every running PUT, not only one', async () => {
    const { fixture } = on;
    const parts = [1, 2, 3, 4];
    const from = fixture.simulator.events().at(-1)?.seq ?? 0;
    fixture.simulator.fault('put-trickle:always:rate=100000');
    const file = await fixture.writeFile('four.mp4', parts.length);
    const options = { ...HELD, ...SOON, concurrency: parts.length };
    const handle = await fixture.start(file.path, { options });
    const begun = new Set<number | undefined>();
    await fixture.simulator.waitFor(({ event, seq, part }) => {
      if (event === 'fault' && seq > from) begun.add(part);
      return begun.size === parts.length;
    });
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: 'Cancelled' });
    const broken = new Set<number | undefined>();
    await fixture.simulator.waitFor(({ event, seq, part }) => {
      if (event === 'part-broken' && seq > from) broken.add(part);
      return broken.size === parts.length;
    });
    fixture.simulator.clearFaults();
    expect([...broken].sort()).toEqual(parts);
    expect(fixture.simulator.seen().sessions.at(-1)?.parts).toEqual([]);
    expect(fixture.simulator.seen()).toMatchObject({ completesAccepted: 0, completesRefused: 0, starts: 2 });
  });

  it('after complete was sent only stops waiting, and the service continues', async () => {
    const { fixture } = on;
    const before = fixture.simulator.seen().completesAccepted;
    fixture.simulator.fault('processing-stuck');
    const file = await fixture.writeFile('accepted.mp4', 1);
    const handle = await fixture.start(file.path, { options: SOON });
    await fixture.simulator.waitFor(({ event, operation }) => event === 'held' && operation === 'processing');
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Cancelled',
      message: expect.stringContaining('complete was sent'),
    });
    expect(fixture.simulator.seen().completesAccepted - before).toBe(1);
    fixture.simulator.release();
    await fixture.simulator.waitFor(
      ({ event, reason }) => event === 'session-ended' && reason === 'COMPLETED',
    );
  });

  it('starts from the beginning when the same ID is started again', async () => {
    const { fixture } = on;
    fixture.simulator.fault('hold:always:part=1');
    const held = fixture.simulator.events().length;
    const file = await fixture.writeFile('once-more.mp4', 1);
    const again = { ingestKey: 'once-more', options: { ...HELD, ...SOON } };
    const handle = await fixture.start(file.path, again);
    await fixture.simulator.waitFor(({ event, seq }) => event === 'held' && seq > held);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: 'Cancelled' });
    fixture.simulator.clearFaults();
    const second = await fixture.start(file.path, again);
    expect([second.workflowId, second.joined]).toEqual([handle.workflowId, false]);
    expect((await second.result()).status).toBe('COMPLETED');
  });

  it('is not joined while it is being cancelled: the error says when to start it again', async () => {
    const { fixture } = on;
    const file = await fixture.writeFile('ending.mp4', 1);
    // Nobody serves this queue, so the cancel stays pending.
    const same = [file.path, { ingestKey: 'ending' }, { queuePrefix: 'nobody' }] as const;
    const first = await fixture.start(...same);
    await first.cancel();
    await expect(fixture.start(...same)).rejects.toMatchObject({
      code: 'Cancelled',
      message: `The upload ${first.workflowId} is being cancelled.`,
      facts: { hint: expect.stringContaining('Wait until it has ended, then start it again') },
    });
  });

  it.each(['cancelled', 'terminated'])(
    'is not uploaded a second time if it was %s after complete was sent',
    async (how) => {
      const { fixture } = on;
      const from = fixture.simulator.events().length;
      const { starts } = fixture.simulator.seen();
      fixture.simulator.fault('processing-stuck');
      const file = await fixture.writeFile(`${how}.mp4`, 1);
      const same = { ingestKey: how, options: SOON };
      const first = await fixture.start(file.path, same);
      await fixture.simulator.waitFor(({ event, seq }) => event === 'complete-accepted' && seq > from);
      if (how === 'cancelled') await first.cancel();
      else await fixture.connection.client.workflow.getHandle(first.workflowId).terminate('by hand');
      await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
      const second = await fixture.start(file.path, same);
      fixture.simulator.release();
      const uploadId = fixture.simulator.seen().sessions.at(-1)?.uploadId;
      expect(await second.result()).toMatchObject({ uploadId, fileName: `${how}.mp4`, earlier: true });
      expect(fixture.simulator.seen().starts - starts).toBe(1);
    },
  );
});
