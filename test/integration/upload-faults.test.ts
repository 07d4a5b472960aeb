import { appendFile } from 'node:fs/promises';
import { failureOf } from '../unit/api/upload/failure-of';
import { HELD, PART_BYTES, untilProgress, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();

/** What the service has seen since this call. */
function seenSince() {
  const { simulator } = on.fixture;
  const before = simulator.seen();
  const from = simulator.events().at(-1)?.seq ?? 0;
  return {
    counts() {
      const { starts, logins, completesAccepted, completesRefused, requests } = simulator.seen();
      return {
        starts: starts - before.starts,
        logins: logins - before.logins,
        completesAccepted: completesAccepted - before.completesAccepted,
        completesRefused: completesRefused - before.completesRefused,
        urls: (requests['urls'] ?? 0) - (before.requests['urls'] ?? 0),
        completes: (requests['complete'] ?? 0) - (before.requests['complete'] ?? 0),
      };
    },
    sessions: () => simulator.seen().sessions.slice(before.sessions.length),
    events: () => simulator.events().filter(({ seq }) => seq > from),
    held: () => simulator.waitFor(({ event, seq }) => event === 'held' && seq > from),
  };
}

it('parts that storage does not accept at once are sent again on their own, after Retry-After, and the file is whole', async () => {
  const { fixture } = on;
  const seen = seenSince();
  const faults = ['503:1:part=1,seconds=2', 'reset:1:part=2', 'stall:1:part=3,bytes=1000', 'lost:1:part=4'];
  for (const fault of faults) fixture.simulator.fault(`put-${fault}`);
  const file = await fixture.writeFile('trouble.mp4', 5);
  const handle = await fixture.start(file.path, { options: { concurrency: 5, stallMs: 5_000 } });
  const result = await handle.result();
  const session = fixture.session(result.uploadId);
  expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  expect(fixture.simulator.seen().faults.armed).toEqual([]);
  const begun = seen.events().filter(({ event }) => event === 'part-begun');
  expect(begun.map(({ part }) => part).sort()).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5]);
  expect(seen.counts()).toMatchObject({ starts: 1, completesAccepted: 1, completesRefused: 0 });
  const first = seen.events().filter(({ part }) => part === 1);
  const refused = first.find(({ event }) => event === 'fault')?.at ?? Infinity;
  const stored = first.find(({ event }) => event === 'part-stored')?.at ?? 0;
  expect(stored - refused).toBeGreaterThanOrEqual(2_000);
  expect(result.parts[0]).toMatchObject({ attempts: 2 });
});

it('what expires during an upload is renewed once: no stored part and nothing that is not idempotent is sent twice', async () => {
  const { fixture } = on;
  const seen = seenSince();
  fixture.simulator.fault('hold:part=2');
  const file = await fixture.writeFile('expired.mp4', 4);
  const handle = await fixture.start(file.path, { options: { ...HELD, concurrency: 1 } });
  await seen.held();
  const { logins } = seen.counts();
  fixture.simulator.fault('put-403-expired:1:part=3');
  fixture.simulator.fault('put-403-expired:1:part=4');
  fixture.simulator.expireTokens();
  fixture.simulator.release();
  const { uploadId } = await handle.result();
  const session = fixture.session(uploadId);
  expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  expect(session.parts.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
  const once = { starts: 1, completesAccepted: 1, completesRefused: 0 };
  // The first request for URLs has the expired token.
  expect(seen.counts()).toMatchObject({ ...once, logins: logins + 1, urls: 3 });
});

it("expired URLs end an upload if the service can't give more, and the error says what helps", async () => {
  const { fixture } = on;
  const queuePrefix = `${fixture.queuePrefix}-no-urls`;
  const stop = await fixture.startWorker({ queuePrefix, accounts: [{ account: fixture.account }] });
  const seen = seenSince();
  fixture.simulator.fault('put-403-expired:always');
  const file = await fixture.writeFile('again.mp4', 2);
  const handle = await fixture.start(file.path, {}, { queuePrefix });
  const refused = await failureOf(handle.result());
  fixture.simulator.clearFaults();
  expect(refused).toMatchObject({
    code: 'UrlExpired',
    message: expect.stringContaining('no new one can be requested'),
    facts: {
      hint: expect.stringMatching(/^Set \{additionalUrls\} .* its parts stay/),
      details: { uploadId: seen.sessions()[0]?.uploadId },
    },
  });
  expect(seen.counts()).toMatchObject({ starts: 1, completesAccepted: 0, completesRefused: 0 });
  await stop();
});

it('a complete whose answer is lost is not sent again if a read shows that it arrived', async () => {
  const { fixture } = on;
  const seen = seenSince();
  fixture.simulator.fault('complete-lost');
  const file = await fixture.writeFile('complete-lost.mp4', 0.3);
  const { uploadId } = await (await fixture.start(file.path)).result();
  const session = fixture.session(uploadId);
  expect(session).toMatchObject({ completesAccepted: 1, completesRefused: 0, status: 'COMPLETED' });
  expect(seen.counts()).toMatchObject({ completes: 1 });
  expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
});

describe('a start whose answer is lost', () => {
  it.each(['cancelled', 'terminated'])(
    'is only repeated after a pause that says why; if the upload is %s in it, the next run searches first',
    async (how) => {
      const { fixture } = on;
      const seen = seenSince();
      fixture.simulator.fault('start-lost');
      const file = await fixture.writeFile(`${how}.mp4`, 0.3);
      const options = { startPauseMs: 3_600_000 };
      const first = await fixture.start(file.path, { ingestKey: how, options });
      const { waitReason } = await untilProgress(first);
      expect(waitReason).toMatchObject({
        code: 'StartAmbiguous',
        message: expect.stringMatching(/it is tried again in 900 s$/),
        hint: expect.stringContaining('You need to do nothing'),
      });
      if (how === 'cancelled') await first.cancel();
      else await fixture.connection.client.workflow.getHandle(first.workflowId).terminate('by hand');
      const hint = expect.stringContaining('An upload session may exist');
      await expect(first.result()).rejects.toMatchObject({
        code: 'Cancelled',
        ...(how === 'cancelled' ? { facts: { hint } } : {}),
      });
      const result = await (await fixture.start(file.path, { ingestKey: how })).result();
      const [orphan, session, ...more] = seen.sessions();
      expect(more).toEqual([]);
      expect(result).toMatchObject({
        uploadId: session?.uploadId,
        orphans: [expect.objectContaining({ mediaId: orphan?.mediaId })],
      });
      const order = seen
        .events()
        .flatMap(({ event, operation }) => (event === 'started' || operation === 'search' ? [event] : []));
      expect([order[0], order.at(-1), order.length > 2]).toEqual(['started', 'started', true]);
    },
  );
});

it('a session that is not COMPLETED before the limit has not failed: the error says how to look later, and the next start only waits', async () => {
  const { fixture } = on;
  const seen = seenSince();
  fixture.simulator.fault('processing-stuck');
  const file = await fixture.writeFile('stuck.mp4', 0.3);
  const same = { ingestKey: 'order-8', options: { processingLimitMs: 2_000 } };
  const first = await fixture.start(file.path, same);
  const error = await failureOf(first.result());
  const [{ uploadId, mediaId } = {}] = seen.sessions();
  expect(error).toMatchObject({
    code: 'ProcessingTimeout',
    message: expect.stringContaining('has not failed'),
    facts: { hint: expect.stringContaining(`Wait for the session ${uploadId}`) },
  });
  const second = await fixture.start(file.path, { ingestKey: 'order-8' });
  expect([second.workflowId, second.joined]).toEqual([first.workflowId, false]);
  await untilProgress(second, ({ phase }) => phase === 'processing');
  fixture.simulator.release();
  expect(await second.result()).toMatchObject({ uploadId, mediaId, status: 'COMPLETED', earlier: true });
  expect(seen.counts()).toMatchObject({ starts: 1 });
});

it('a file that grows after its last part was read ends its upload, and no mixed file is completed', async () => {
  const { fixture } = on;
  const seen = seenSince();
  fixture.simulator.fault(`hold:part=2,bytes=${String(PART_BYTES - 1)}`);
  const file = await fixture.writeFile('growing.mp4', 2);
  const handle = await fixture.start(file.path, { options: { ...HELD, concurrency: 1 } });
  await seen.held();
  await appendFile(file.path, 'more');
  fixture.simulator.release();
  await expect(handle.result()).rejects.toMatchObject({ code: 'SourceChanged' });
  expect(seen.counts()).toMatchObject({ starts: 1, completesAccepted: 0, completesRefused: 0 });
});
