import { describe, expect, it } from '@jest/globals';
import { useOwnTemporal } from '../support/own-temporal';
import { HELD } from '../support/upload-fixture';

const temporal = useOwnTemporal();

describe('a Temporal server that is killed in the middle of a part', () => {
  it('loses nothing when it starts again on its database file, and whoever waits for the result gets it', async () => {
    const { fixture } = temporal;
    await fixture.startWorker();
    fixture.simulator.fault('hold:part=2');
    const file = await fixture.writeFile('film.mp4', 4);
    const options = { ...HELD, concurrency: 1 };
    const handle = await fixture.start(file.path, { options });
    const result = handle.result();
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    await temporal.kill();
    fixture.simulator.release();
    await fixture.simulator.waitFor(({ event, part }) => event === 'part-stored' && part === 2);
    await temporal.restart();
    const { uploadId } = await result;
    const session = fixture.session(uploadId);
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
    expect(fixture.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1, completesRefused: 0 });
  });
});
