import { describe, expect, it } from '@jest/globals';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();

describe('a complete whose answer is lost', () => {
  it.each([
    ['the connection ends without one', 'complete-lost', 1],
    ['the connection ends in the middle of it', 'complete-half', 1],
    ['a proxy replaces it', 'complete-html', 1],
    ['it never arrived', 'complete-lost-before', 2],
  ])('because %s is sent again only if a read says that it did not arrive', async (_name, fault, sent) => {
    const { bed } = on;
    const before = bed.simulator.seen().requests['complete'] ?? 0;
    bed.simulator.fault(fault);
    const file = await bed.writeFile('film.mp4', 2);
    const result = await (await bed.start(file.path)).result();
    const session = bed.session(result.uploadId);
    expect(Number(bed.simulator.seen().requests['complete']) - before).toBe(sent);
    expect(session).toMatchObject({ completesAccepted: 1, completesRefused: 0, status: 'COMPLETED' });
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  });
});
