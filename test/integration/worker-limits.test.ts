import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AccountLimits } from '../../api/account';
import { HELD, MIB, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
/** So few that parts without a limit are faster while other tests run as well. */
const PER_SECOND = 1;

interface Limited {
  readonly limits?: AccountLimits;
  /** Sends parts through the workers of this queue prefix. */
  send(queuePrefix: string): Promise<void>;
}

/** Start times of the parts that `send` causes, ms after the first session started. */
async function beginnings({ limits = {}, send }: Limited): Promise<number[]> {
  const { fixture } = on;
  const queuePrefix = `${fixture.queuePrefix}-${randomBytes(4).toString('hex')}`;
  const accounts = fixture.config.accounts.map((served) => ({ ...served, limits }));
  const change = { accounts, queuePrefix };
  const stop = await fixture.startWorker(change);
  const last = fixture.simulator.events().at(-1)?.seq ?? 0;
  await send(queuePrefix);
  await stop();
  const events = fixture.simulator.events().filter(({ seq }) => seq > last);
  const from = events.find(({ event }) => event === 'started')?.at ?? Infinity;
  return events.filter(({ event }) => event === 'part-begun').map(({ at }) => at - from);
}

/** Parts that begin sooner than the limit allows. */
function tooEarly(begun: readonly number[]): number[] {
  return begun.filter((ms, before) => ms < (before / PER_SECOND) * 1_000 - 1);
}

describe('the limits of an account', () => {
  it('hold for the rate of parts, also at a storage host', async () => {
    const { fixture } = on;
    const { path } = await fixture.writeFile('limited.mp4', 2);
    const send = async (queuePrefix: string): Promise<void> => {
      const options = { concurrency: 2, heartbeatMs: 30_000 };
      const uploads = await Promise.all(
        [1, 2, 3].map(() => fixture.start(path, { options }, { queuePrefix })),
      );
      await Promise.all(uploads.map((upload) => upload.result()));
    };
    for (const limits of [
      { partsPerSecond: PER_SECOND, callsPerSecond: 50 },
      { storagePartsPerSecond: { '*': PER_SECOND } },
    ]) {
      const begun = await beginnings({ limits, send });
      expect(begun).toHaveLength(6);
      expect(tooEarly(begun)).toEqual([]);
    }
    expect(tooEarly(await beginnings({ limits: {}, send }))).not.toEqual([]);
  });
});

describe('a bandwidth limit', () => {
  it('lets every part be sent once, although each waits longer for bandwidth than a stall or heartbeat may last', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ bandwidth: 2 * MIB });
    const file = await fixture.writeFile('paced.mp4', 3);
    const options = { concurrency: 3, stallMs: 4_000, heartbeatMs: 5_000 };
    const result = await (await fixture.start(file.path, { options })).result();
    await stop();
    expect(result.parts.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
    // All three need 7.5 s together, and the last may have begun a moment after the first.
    expect(Math.max(...result.parts.map(({ ms }) => ms))).toBeGreaterThan(options.heartbeatMs);
    expect(await fixture.simulator.objectSha256(fixture.session(result.uploadId).keyName)).toBe(file.sha256);
  });
});

describe('parallel parts', () => {
  it('are as many as the slots: two uploads of 12 parts send all 24 at once in one worker', async () => {
    const { fixture } = on;
    const stop = await fixture.startWorker({ slots: { parts: 24 } });
    const { path } = await fixture.writeFile('many.mp4', 12);
    fixture.simulator.fault('hold:24:bytes=1000');
    const options = { ...HELD, concurrency: 12 };
    const uploads = await Promise.all([1, 2].map(() => fixture.start(path, { options })));
    let held = 0;
    await fixture.simulator.waitFor(({ event }) => event === 'held' && (held += 1) === 24);
    fixture.simulator.release();
    const results = await Promise.all(uploads.map((upload) => upload.result()));
    expect(results.map(({ retries }) => retries)).toEqual([0, 0]);
    await stop();
  });
});
