import { afterEach, describe, expect, it } from '@jest/globals';
import type { SimulatorOptions } from '../../../../../simulator/options';
import { openDirectFixture, type DirectFixture } from '../direct-fixture';
import { failureOf } from '../failure-of';

let fixture: DirectFixture;
afterEach(() => fixture.close());

const puts = (): number => fixture.simulator.events().filter(({ event }) => event === 'part-begun').length;

async function opened(simulator: SimulatorOptions, additionalUrls = true): Promise<string> {
  fixture = await openDirectFixture({ simulator, additionalUrls });
  return (await fixture.writeFile('film.mp4', 100_000)).path;
}

describe('an upload whose pre-signed URL storage refuses', () => {
  it.each(['put-403-ended', 'put-400-ended'])(
    'ends as expired after %s if no fresh URL can be had',
    async (fault) => {
      const path = await opened({ faults: [fault] }, false);
      const error = await failureOf(fixture.upload(fixture.request(path)));
      expect(error).toMatchObject({
        code: 'UrlExpired',
        facts: { hint: expect.stringContaining('{additionalUrls}') },
      });
      expect(fixture.simulator.seen().starts).toBe(1);
    },
  );

  it.each(['put-403-ended:1', 'put-400-ended:1'])('gets a fresh URL after %s', async (fault) => {
    const path = await opened({ faults: [fault] });
    const { parts } = await fixture.upload(fixture.request(path));
    expect(parts).toMatchObject([{ attempts: 1 }]);
    expect(fixture.simulator.seen().requests).toMatchObject({ urls: 1, put: 2 });
  });

  it("waits for the begin of a URL by storage's clock, and asks for no other", async () => {
    const path = await opened({ faults: ['put-403-early:2'] });
    const waits: unknown[] = [];
    await fixture.upload(fixture.request(path), {
      onPartRetry: (_part, { facts }) => waits.push(facts.retryAfterMs),
    });
    expect(waits).toEqual([2_000, 2_000]);
    expect(fixture.simulator.seen().requests['urls']).toBeUndefined();
  });

  it.each([
    ['urls-fix-checksum', 'StorageRefused', 'x-amz-checksum-crc32', 2],
    ['urls-sign-acl', 'SignatureMismatch', 'x-amz-acl', 1],
  ])(
    'ends after at most two tries in the shape %s, and names what the URL covers',
    async (shape, code, name, tries) => {
      const path = await opened({ shapes: [shape] });
      const error = await failureOf(fixture.upload(fixture.request(path)));
      expect(error).toMatchObject({ code, facts: { details: { demands: name } } });
      expect(error.facts.hint).toContain(name);
      expect(puts()).toBe(tries);
    },
  );
});

it('storage that answers 413 before it has read a part is quoted, whenever its connection is reset', async () => {
  const path = await opened({ faults: ['put-413-early:always'] });
  const large = (await fixture.writeFile('large.mp4', 40_000_000)).path;
  for (let tries = 0; tries < 10; tries += 1) {
    const error = await failureOf(fixture.upload(fixture.request(tries % 2 === 0 ? large : path)));
    expect(error).toMatchObject({
      code: 'StorageRefused',
      facts: { status: 413, serviceMessage: 'Too large.' },
    });
  }
});
