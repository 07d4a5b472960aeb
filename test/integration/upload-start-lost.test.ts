import { describe, expect, it } from '@jest/globals';
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
    const order = bed.simulator
      .events()
      .filter(
        ({ event, operation }) => event === 'started' || (event === 'request' && operation === 'search'),
      )
      .map(({ event }) => (event === 'started' ? 'start' : 'search'));
    expect(order).toEqual(['start', 'search', 'search', 'start']);
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
