import { describe, expect, it } from '@jest/globals';
import { HELD, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('an access token that expires during an upload', () => {
  it('is renewed once, and nothing that is not idempotent is sent twice', async () => {
    const { fixture } = on;
    fixture.simulator.fault('hold:part=2');
    const file = await fixture.writeFile('film.mp4', 2);
    const handle = await fixture.start(file.path, { options: HELD });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    fixture.simulator.expireTokens();
    fixture.simulator.release();
    const result = await handle.result();
    expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(file.sha256);
    expect(fixture.simulator.seen()).toMatchObject({
      logins: 2,
      starts: 1,
      completesAccepted: 1,
      completesRefused: 0,
    });
  });

  it('leads to a search before the second start if it expired at the start', async () => {
    const { fixture } = on;
    const before = fixture.simulator.seen();
    fixture.simulator.fault('token-expired-once:1:operation=start');
    const file = await fixture.writeFile('start.mp4', 1);
    const result = await (await fixture.start(file.path)).result();
    expect(result.orphans).toEqual([]);
    expect(fixture.simulator.seen().starts - before.starts).toBe(1);
    expect(fixture.simulator.seen().requests['search']).toBeGreaterThan(before.requests['search'] ?? 0);
  });
});
