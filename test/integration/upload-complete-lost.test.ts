import { describe, expect, it } from '@jest/globals';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

describe('a complete whose answer is lost', () => {
  it.each([
    ['the connection ends without one', 'complete-lost', 1],
    ['the connection ends in the middle of it', 'complete-half', 1],
    ['a proxy replaces it', 'complete-html', 1],
    ['it never arrived', 'complete-lost-before', 2],
  ])('because %s is sent again only if a read shows that it did not arrive', async (_name, fault, sent) => {
    const { fixture } = on;
    const before = fixture.simulator.seen().requests['complete'] ?? 0;
    fixture.simulator.fault(fault);
    const file = await fixture.writeFile('film.mp4', 2);
    const result = await (await fixture.start(file.path)).result();
    const session = fixture.session(result.uploadId);
    expect(Number(fixture.simulator.seen().requests['complete']) - before).toBe(sent);
    expect(session).toMatchObject({ completesAccepted: 1, completesRefused: 0, status: 'COMPLETED' });
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  });
});
