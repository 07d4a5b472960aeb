import { describe, expect, it } from '@jest/globals';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('a part that storage does not take at once', () => {
  it.each<[name: string, fault: string, options?: { stallMs?: number }]>([
    ['503 with Retry-After', 'put-503:1:part=2,seconds=1'],
    ['429', 'put-429:1:part=2,seconds=1'],
    ['500', 'put-500:1:part=2'],
    ['a connection reset in mid-part', 'put-reset:1:part=2'],
    ['storage that stops reading in mid-part', 'put-stall:1:part=2', { stallMs: 5_000 }],
    ['a stored part whose answer is lost', 'put-lost:1:part=2'],
    ['an ETag that is not the MD5 of what was sent', 'put-wrong-etag:1:part=2'],
  ])('after %s is sent again, alone, and the file is whole', async (_name, fault, options = {}) => {
    const { bed } = on;
    const before = bed.simulator.seen();
    bed.simulator.fault(fault);
    const file = await bed.writeFile('film.mp4', 3);
    const result = await (await bed.start(file.path, { options })).result();
    const session = bed.session(result.uploadId);
    const after = bed.simulator.seen();
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    const [struck] = fault.split(':');
    expect(after.faults).toEqual({
      armed: [],
      struck: { ...before.faults.struck, [String(struck)]: 1 },
    });
    const begun = bed.simulator
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

  it('after a 503 waits as long as Retry-After says', async () => {
    const { bed } = on;
    bed.simulator.fault('put-503:1:part=1,seconds=2');
    const file = await bed.writeFile('late.mp4', 1);
    const result = await (await bed.start(file.path)).result();
    const { uploadId } = result;
    const events = bed.simulator.events().filter((one) => one.uploadId === uploadId && one.part === 1);
    const refused = events.find(({ event }) => event === 'fault')?.at ?? 0;
    const stored = events.find(({ event }) => event === 'part-stored')?.at ?? 0;
    expect(stored - refused).toBeGreaterThanOrEqual(2_000);
    expect(result).toMatchObject({ retries: 1, parts: [{ attempts: 2 }] });
  });
});
