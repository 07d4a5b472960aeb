import { describe, expect, it } from '@jest/globals';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('a part that storage does not accept at once', () => {
  it.each<[name: string, fault: string, options?: { stallMs?: number }]>([
    ['503 with Retry-After', 'put-503:1:part=2,seconds=1'],
    ['429', 'put-429:1:part=2,seconds=1'],
    ['500', 'put-500:1:part=2'],
    ['a connection reset in mid-part', 'put-reset:1:part=2'],
    ['storage that stops reading in mid-part', 'put-stall:1:part=2', { stallMs: 5_000 }],
    ['a stored part whose answer is lost', 'put-lost:1:part=2'],
    ['an ETag that is not the MD5 of what was sent', 'put-wrong-etag:1:part=2'],
  ])('is sent again on its own after %s, and the file is whole', async (_name, fault, options = {}) => {
    const { fixture } = on;
    const before = fixture.simulator.seen();
    fixture.simulator.fault(fault);
    const file = await fixture.writeFile('film.mp4', 3);
    const result = await (await fixture.start(file.path, { options })).result();
    const session = fixture.session(result.uploadId);
    const after = fixture.simulator.seen();
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    const [struck] = fault.split(':');
    expect(after.faults).toEqual({
      armed: [],
      struck: { ...before.faults.struck, [String(struck)]: 1 },
    });
    const begun = fixture.simulator
      .events()
      .filter(({ event, uploadId }) => event === 'part-begun' && uploadId === result.uploadId);
    expect(begun.map(({ part }) => part).sort()).toEqual([1, 2, 2, 3]);
    expect(session.parts.filter(({ partNumber }) => partNumber !== 2).map(({ puts }) => puts)).toEqual([
      1, 1,
    ]);
    expect([after.starts - before.starts, after.completesAccepted - before.completesAccepted]).toEqual([
      1, 1,
    ]);
  });

  it('waits after a 503 as long as Retry-After says', async () => {
    const { fixture } = on;
    fixture.simulator.fault('put-503:1:part=1,seconds=2');
    const file = await fixture.writeFile('late.mp4', 1);
    const result = await (await fixture.start(file.path)).result();
    const { uploadId } = result;
    const events = fixture.simulator.events().filter((one) => one.uploadId === uploadId && one.part === 1);
    const refused = events.find(({ event }) => event === 'fault')?.at ?? 0;
    const stored = events.find(({ event }) => event === 'part-stored')?.at ?? 0;
    expect(stored - refused).toBeGreaterThanOrEqual(2_000);
    expect(result).toMatchObject({ retries: 1, parts: [{ attempts: 2 }] });
  });
});
