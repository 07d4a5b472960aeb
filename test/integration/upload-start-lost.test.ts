import { describe, expect, it } from '@jest/globals';
import { until } from '../support/until';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('a start whose answer is lost', () => {
  it('is not repeated before its session was searched for, and the result names that session', async () => {
    const { bed } = on;
    bed.simulator.fault('start-lost');
    const file = await bed.writeFile('film.mp4', 2);
    const result = await (await bed.start(file.path)).result();
    const [orphan, session] = bed.simulator.seen().sessions;
    expect(bed.simulator.seen().starts).toBe(2);
    expect(result.uploadId).toBe(session?.uploadId);
    expect(result.orphans).toEqual([expect.objectContaining({ mediaId: orphan?.mediaId })]);
    expect(result.orphansVerifiable).toBe(true);
    const events = bed.simulator.events();
    const second = events.findLastIndex(({ event }) => event === 'started');
    const order = events
      .slice(0, second + 1)
      .filter(({ event }) => event === 'started' || event === 'request')
      .flatMap(({ event, operation = '' }) => {
        if (event === 'started') return ['start'];
        return operation === 'search' || operation === 'session' ? [operation] : [];
      });
    // A session that does not exist: whether the upload host answers at all.
    expect(order).toEqual(['start', 'session', 'search', 'search', 'start']);
    expect(await bed.simulator.objectSha256(session?.keyName ?? '')).toBe(file.sha256);
  });

  it('ends the upload after three sessions, and the error names them all', async () => {
    const { bed } = on;
    const before = bed.simulator.seen().starts;
    bed.simulator.fault('start-lost:always');
    const file = await bed.writeFile('never.mp4', 1);
    const error = await (await bed.start(file.path)).result().catch((reason: unknown) => reason);
    bed.simulator.clearFaults();
    const made = bed.simulator.seen().sessions.slice(before);
    expect(made).toHaveLength(3);
    expect(error).toMatchObject({ code: 'StartAmbiguous' });
    const named = JSON.stringify(error instanceof Error && 'facts' in error ? error.facts : {});
    for (const { mediaId } of made) expect(named).toContain(mediaId);
  });

  it('is not repeated while the upload host answers 502, and says so', async () => {
    const { bed } = on;
    const before = bed.simulator.seen().starts;
    bed.simulator.fault('start-502:1');
    bed.simulator.fault('session-502:always');
    const file = await bed.writeFile('behind-a-gateway.mp4', 1);
    const handle = await bed.start(file.path);
    const progress = await until(
      'the upload is held up',
      () => handle.progress(),
      ({ heldUpBy }) => heldUpBy?.code === 'ServiceFailed',
    );
    expect(progress).toMatchObject({
      phase: 'starting',
      heldUpBy: { message: expect.stringContaining('upload host failed (502)') },
    });
    expect(bed.simulator.seen().starts).toBe(before);
    bed.simulator.clearFaults();
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED', orphans: [] });
    expect(bed.simulator.seen().starts).toBe(before + 1);
  });

  it('is repeated only after its pause, which shows why and that nothing has to be done', async () => {
    const { bed } = on;
    bed.simulator.fault('start-502:1');
    const file = await bed.writeFile('paused.mp4', 1);
    const handle = await bed.start(file.path, { options: { startPauseMs: 3_600_000 } });
    const progress = await until(
      'the upload is held up',
      () => handle.progress(),
      ({ heldUpBy }) => heldUpBy !== undefined,
    );
    expect(progress.heldUpBy).toMatchObject({
      code: 'StartAmbiguous',
      message: expect.stringMatching(/upload start failed \(502\).*it is tried again in 900 s$/),
      hint: expect.stringContaining('Nothing has to be done'),
    });
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Cancelled',
      facts: { hint: expect.stringContaining('An upload session may exist') },
    });
  });

  it('that never reached the service makes no orphan', async () => {
    const { bed } = on;
    const before = bed.simulator.seen().starts;
    bed.simulator.fault('start-lost-before');
    const file = await bed.writeFile('later.mp4', 1);
    const result = await (await bed.start(file.path)).result();
    expect(bed.simulator.seen().starts - before).toBe(1);
    expect(result.orphans).toEqual([]);
  });

  it('as a refusal ends the upload at once, with the service’s words', async () => {
    const { bed } = on;
    const before = bed.simulator.seen();
    bed.simulator.fault('start-400:1:reason=resolution is not possible here');
    const file = await bed.writeFile('refused.mp4', 1);
    const error = await (await bed.start(file.path)).result().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'RequestRefused',
      facts: { status: 400, serviceMessage: expect.stringContaining('resolution is not possible here') },
    });
    expect(bed.simulator.seen().requests['search']).toBe(before.requests['search']);
    expect(bed.simulator.seen().starts).toBe(before.starts);
  });
});
