import { describe, expect, it } from '@jest/globals';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('a start whose answer is lost', () => {
  it('is repeated only after a search for its session, and the result names that session', async () => {
    const { fixture } = on;
    fixture.simulator.fault('start-lost');
    const file = await fixture.writeFile('film.mp4', 2);
    const result = await (await fixture.start(file.path)).result();
    const [orphan, session] = fixture.simulator.seen().sessions;
    expect(fixture.simulator.seen().starts).toBe(2);
    expect(result.uploadId).toBe(session?.uploadId);
    expect(result.orphans).toEqual([expect.objectContaining({ mediaId: orphan?.mediaId })]);
    expect(result.orphansVerifiable).toBe(true);
    const events = fixture.simulator.events();
    const second = events.findLastIndex(({ event }) => event === 'started');
    const order = events
      .slice(0, second + 1)
      .filter(({ event }) => event === 'started' || event === 'request')
      .flatMap(({ event, operation = '' }) => {
        if (event === 'started') return ['start'];
        return operation === 'search' || operation === 'session' ? [operation] : [];
      });
    // The read of a session that does not exist checks whether the upload host answers at all.
    expect(order).toEqual(['start', 'session', 'search', 'search', 'start']);
    expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(file.sha256);
  });

  it('ends the upload after three sessions, and the error names them all', async () => {
    const { fixture } = on;
    const before = fixture.simulator.seen().starts;
    fixture.simulator.fault('start-lost:always');
    const file = await fixture.writeFile('never.mp4', 1);
    const error = await (await fixture.start(file.path)).result().catch((reason: unknown) => reason);
    fixture.simulator.clearFaults();
    const made = fixture.simulator.seen().sessions.slice(before);
    expect(made).toHaveLength(3);
    expect(error).toMatchObject({ code: 'StartAmbiguous' });
    const named = JSON.stringify(error instanceof Error && 'facts' in error ? error.facts : {});
    for (const { mediaId } of made) expect(named).toContain(mediaId);
  });

  it('is not repeated while the upload host answers 502, and says so', async () => {
    const { fixture } = on;
    const before = fixture.simulator.seen().starts;
    fixture.simulator.fault('start-502:1');
    fixture.simulator.fault('session-502:always');
    const file = await fixture.writeFile('behind-a-gateway.mp4', 1);
    const handle = await fixture.start(file.path);
    const progress = await until(
      'the upload waits',
      () => handle.progress(),
      ({ waitReason }) => waitReason?.code === 'ServiceFailed',
    );
    expect(progress).toMatchObject({
      phase: 'starting',
      waitReason: { message: expect.stringContaining('upload host failed (502)') },
    });
    expect(fixture.simulator.seen().starts).toBe(before);
    fixture.simulator.clearFaults();
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED', orphans: [] });
    expect(fixture.simulator.seen().starts).toBe(before + 1);
  });

  it('is repeated only after its pause, which says why and that nobody must act', async () => {
    const { fixture } = on;
    fixture.simulator.fault('start-502:1');
    const file = await fixture.writeFile('paused.mp4', 1);
    const handle = await fixture.start(file.path, { options: { startPauseMs: 3_600_000 } });
    const progress = await until(
      'the upload waits',
      () => handle.progress(),
      ({ waitReason }) => waitReason !== undefined,
    );
    expect(progress.waitReason).toMatchObject({
      code: 'StartAmbiguous',
      message: expect.stringMatching(/upload start failed \(502\).*it is tried again in 900 s$/),
      hint: expect.stringContaining('You need to do nothing'),
    });
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Cancelled',
      facts: { hint: expect.stringContaining('An upload session may exist') },
    });
  });

  it.each(['cancelled', 'terminated'])(
    'is searched for by the next run if the upload was %s before that, and the result names its session',
    async (how) => {
      const { fixture } = on;
      const from = fixture.simulator.events().at(-1)?.seq ?? 0;
      const before = fixture.simulator.seen().sessions.length;
      fixture.simulator.fault('start-lost');
      const file = await fixture.writeFile(`${how}.mp4`, 1);
      const first = await fixture.start(file.path, {
        ingestKey: how,
        options: { startPauseMs: 3_600_000 },
      });
      await until(
        'the upload waits',
        () => first.progress(),
        ({ waitReason }) => waitReason !== undefined,
      );
      if (how === 'cancelled') await first.cancel();
      else await fixture.connection.client.workflow.getHandle(first.workflowId).terminate('by hand');
      await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
      const result = await (await fixture.start(file.path, { ingestKey: how })).result();
      const [orphan, session, ...more] = fixture.simulator.seen().sessions.slice(before);
      expect(more).toEqual([]);
      expect(result).toMatchObject({
        uploadId: session?.uploadId,
        orphans: [expect.objectContaining({ mediaId: orphan?.mediaId })],
      });
      const order = fixture.simulator
        .events()
        .filter(({ seq, event, operation }) => seq > from && (event === 'started' || operation === 'search'))
        .map(({ event }) => (event === 'started' ? 'start' : 'search'));
      expect([order[0], order.at(-1), order.length > 2]).toEqual(['start', 'start', true]);
    },
  );

  it('leaves no orphan if it never reached the service', async () => {
    const { fixture } = on;
    const before = fixture.simulator.seen().starts;
    fixture.simulator.fault('start-lost-before');
    const file = await fixture.writeFile('later.mp4', 1);
    const result = await (await fixture.start(file.path)).result();
    expect(fixture.simulator.seen().starts - before).toBe(1);
    expect(result.orphans).toEqual([]);
  });

  it("ends the upload at once if the service refused it, with the service's words", async () => {
    const { fixture } = on;
    const before = fixture.simulator.seen();
    fixture.simulator.fault('start-400:1:reason=resolution is not possible here');
    const file = await fixture.writeFile('refused.mp4', 1);
    const error = await (await fixture.start(file.path)).result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'RequestRefused',
      facts: { status: 400, serviceMessage: expect.stringContaining('resolution is not possible here') },
    });
    expect(fixture.simulator.seen().requests['search']).toBe(before.requests['search']);
    expect(fixture.simulator.seen().starts).toBe(before.starts);
  });
});
