import { describe, expect, it } from '@jest/globals';
import { HELD, useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('an access token that expires in mid-upload', () => {
  it('is renewed once, and nothing that is not idempotent is sent twice', async () => {
    const { bed } = on;
    bed.simulator.fault('hold:part=2');
    const file = await bed.writeFile('film.mp4', 2);
    const handle = await bed.start(file.path, { options: HELD });
    await bed.simulator.waitFor(({ event }) => event === 'held');
    bed.simulator.expireTokens();
    bed.simulator.release();
    const result = await handle.result();
    expect(await bed.simulator.objectSha256(bed.session(result.uploadId).keyName)).toBe(file.sha256);
    expect(bed.simulator.seen()).toMatchObject({
      logins: 2,
      starts: 1,
      completesAccepted: 1,
      completesRefused: 0,
    });
  });

  it('at start leads to a search before the second one', async () => {
    const { bed } = on;
    const before = bed.simulator.seen();
    bed.simulator.fault('token-expired-once:1:operation=start');
    const file = await bed.writeFile('start.mp4', 1);
    const result = await (await bed.start(file.path)).result();
    expect(result.orphans).toEqual([]);
    expect(bed.simulator.seen().starts - before.starts).toBe(1);
    expect(bed.simulator.seen().requests['search']).toBeGreaterThan(before.requests['search'] ?? 0);
  });
});
