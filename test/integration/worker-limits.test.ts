import type { AccountLimits } from '../../api/account';
import { HELD, untilProgress, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
/** So few that the second part would wait for far longer than a part may. */
const PER_SECOND = 0.001;

it.each<[limit: keyof AccountLimits, limits: AccountLimits]>([
  ['partsPerSecond', { partsPerSecond: PER_SECOND, callsPerSecond: 50 }],
  ['storagePartsPerSecond', { storagePartsPerSecond: { '*': PER_SECOND } }],
])('the limits of an account hold back the parts of its uploads: %s', async (limit, limits) => {
  const { fixture } = on;
  const queuePrefix = `${fixture.queuePrefix}-${limit}`;
  const accounts = fixture.config.accounts.map((served) => ({ ...served, limits }));
  const stop = await fixture.startWorker({ accounts, queuePrefix });
  const { path } = await fixture.writeFile('limited.mp4', 2);
  const last = fixture.simulator.events().at(-1)?.seq ?? 0;
  const handle = await fixture.start(path, {}, { queuePrefix });
  const { waitReason } = await untilProgress(handle);
  expect(waitReason).toMatchObject({
    code: 'WorkerBusy',
    message: expect.stringContaining(`too many wait for ${limit} of the account`),
  });
  const begun = fixture.simulator.events().filter(({ event, seq }) => event === 'part-begun' && seq > last);
  expect(begun).toHaveLength(1);
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ code: 'Cancelled' });
  await stop();
});

it('parallel parts are as many as the slots: two uploads of 12 parts send all 24 at once in one worker', async () => {
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
