import { stat, writeFile } from 'node:fs/promises';
import { pathFingerprint } from '../../files/sources/path-change';
import type { UploadHandle } from '../../temporal/upload/client/open-upload';
import { PROGRESS_QUERY } from '../../temporal/upload/types';
import type { UploadProgress } from '../../api/upload/types';
import { nextHeld } from '../support/held';
import { HELD, MIB, PART_BYTES, useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();
/** The answer to a heartbeat carries the cancel. */
const SOON = { heartbeatMs: 4_000 };
/** So large that each part is a group of its own: a running group ends, and no further one begins. */
const PART_MIB = 35;

const lastSeq = (): number => on.fixture.simulator.events().at(-1)?.seq ?? 0;

describe('a second start under the same ID', () => {
  it('joins the first while it runs, and gets its result after it ended', async () => {
    const { fixture } = on;
    const held = nextHeld(fixture.simulator);
    fixture.simulator.fault('hold:part=1');
    const file = await fixture.writeFile('film.mp4', 1);
    const same = { ingestKey: 'order-7', options: HELD };
    const first = await fixture.start(file.path, same);
    await held();
    const second = await fixture.start(file.path, same);
    expect([first.joined, second.joined, second.workflowId]).toEqual([false, true, first.workflowId]);
    fixture.simulator.release();
    const result = await first.result();
    expect(await second.result()).toEqual(result);
    const third = await fixture.start(file.path, same);
    expect([third.joined, await third.result()]).toEqual([true, result]);
    // Its starter did not compare the file.
    expect(third.warning).toMatch(/^It is not known whether the file has changed since it was uploaded/);
    expect(fixture.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
  });

  it('is refused with what differs if its options differ', async () => {
    const { fixture } = on;
    const other = { ingestKey: 'order-7', media: { title: 'Another film', fileType: 'MP4' } };
    const path = `${fixture.folder}/film.mp4`;
    await expect(fixture.start(path, other)).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining('already exists with a different title.'),
      facts: { hint: expect.stringContaining('To upload it as well, {again}') },
    });
    await expect(fixture.start(`${path}.other`, { ingestKey: 'order-7' })).rejects.toMatchObject({
      facts: { details: { differs: 'source' } },
    });
    expect(fixture.simulator.seen().starts).toBe(1);
  });

  it('is refused if the file has changed, and says how to upload the new content', async () => {
    const { fixture } = on;
    const file = await fixture.writeFile('changing.mp4', 1);
    const same = { ingestKey: 'order-10' };
    await (await fixture.start(file.path, same)).result();
    const { starts } = fixture.simulator.seen();
    const again = async (): Promise<UploadHandle> => {
      const identity = pathFingerprint(await stat(file.path, { bigint: true }), false);
      return fixture.start(file.path, same, { identity });
    };
    const joined = await again();
    expect([joined.joined, joined.warning]).toEqual([true, undefined]);
    await writeFile(file.path, 'something else');
    await expect(again()).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringMatching(/has changed .* then 5242880 bytes, changed .*, now 14 bytes, changed /),
      facts: {
        details: { differs: 'content' },
        hint: expect.stringContaining('To upload the new content, {again}'),
      },
    });
    expect(fixture.simulator.seen().starts).toBe(starts);
  });
});

describe('an upload that is cancelled', () => {
  it('in the middle of its parts ends every running PUT, sends no complete and says what it leaves behind', async () => {
    const { fixture } = on;
    const parts = [1, 2, 3, 4];
    const from = lastSeq();
    const { completesAccepted, completesRefused } = fixture.simulator.seen();
    fixture.simulator.fault('put-trickle:always:rate=100000');
    const file = await fixture.writeFile('four.mp4', parts.length);
    const options = { ...HELD, ...SOON, concurrency: parts.length };
    const handle = await fixture.start(file.path, { options });
    const everyPart = async (event: string): Promise<void> => {
      const found = new Set<number | undefined>();
      await fixture.simulator.waitFor((one) => {
        if (one.event === event && one.seq > from) found.add(one.part);
        return found.size === parts.length;
      });
      expect([...found].sort()).toEqual(parts);
    };
    await everyPart('fault');
    await handle.cancel();
    const { uploadId, mediaId, parts: stored } = fixture.simulator.seen().sessions.at(-1) ?? {};
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Cancelled',
      facts: {
        details: { uploadId, mediaId },
        hint: expect.stringContaining(`session ${String(uploadId)} and its parts stay`),
      },
    });
    await everyPart('part-broken');
    fixture.simulator.clearFaults();
    expect(stored).toEqual([]);
    expect(fixture.simulator.seen()).toMatchObject({ completesAccepted, completesRefused });
    const description = await fixture.connection.client.workflow.getHandle(handle.workflowId).describe();
    expect(description.status.name).toBe('CANCELLED');
  });

  it('is not joined while it is being cancelled: the error says when to start it again', async () => {
    const { fixture } = on;
    const file = await fixture.writeFile('ending.mp4', 0.3);
    // Nobody serves this queue, so the cancel stays pending.
    const same = [file.path, { ingestKey: 'ending' }, { queuePrefix: 'nobody' }] as const;
    const first = await fixture.start(...same);
    await first.cancel();
    await expect(fixture.start(...same)).rejects.toMatchObject({
      code: 'Cancelled',
      message: `The upload ${first.workflowId} is being cancelled.`,
      facts: { hint: expect.stringContaining('Wait until it has ended, then start it again') },
    });
  });

  it.each(['cancelled', 'terminated'])(
    'continues at the service if it was %s after complete was sent, and is not uploaded a second time',
    async (how) => {
      const { fixture } = on;
      const from = lastSeq();
      const { starts, completesAccepted } = fixture.simulator.seen();
      fixture.simulator.fault('processing-stuck');
      const file = await fixture.writeFile(`${how}.mp4`, 0.3);
      const same = { ingestKey: how, options: SOON };
      const first = await fixture.start(file.path, same);
      await fixture.simulator.waitFor(({ event, seq }) => event === 'complete-accepted' && seq > from);
      if (how === 'cancelled') await first.cancel();
      else await fixture.connection.client.workflow.getHandle(first.workflowId).terminate('by hand');
      await expect(first.result()).rejects.toMatchObject({
        code: 'Cancelled',
        message: expect.stringContaining(how === 'cancelled' ? 'complete was sent' : 'terminated'),
      });
      const second = await fixture.start(file.path, same);
      fixture.simulator.release();
      const uploadId = fixture.simulator.seen().sessions.at(-1)?.uploadId;
      expect(await second.result()).toMatchObject({ uploadId, fileName: `${how}.mp4`, earlier: true });
      expect(fixture.simulator.seen()).toMatchObject({
        starts: starts + 1,
        completesAccepted: completesAccepted + 1,
      });
    },
  );
});

describe('an upload that left parts at the service', () => {
  /** Two parts of a group each, or five of one group. */
  const LARGE = { pieces: 13, partBytes: PART_MIB * MIB };
  const SMALL = { pieces: 5, partBytes: PART_BYTES };

  it.each([
    ['cancelled', LARGE, 'hold:always:part=2', [1, 1]],
    // Its worker does not know yet, and may send that part once more.
    ['terminated', LARGE, 'hold:always:part=2', [1, expect.any(Number)]],
    ['failed', SMALL, 'put-403-denied:always:part=4', [1, 1, 1, 1, 1]],
  ] as const)(
    'continues its session if it was %s and is started again, and sends only what is missing',
    async (how, { pieces, partBytes }, fault, puts) => {
      const { fixture } = on;
      const { simulator } = fixture;
      const { starts } = simulator.seen();
      const held = nextHeld(simulator);
      simulator.fault(fault);
      const file = await fixture.writeFile(`left-${how}.mp4`, pieces);
      const same = { ingestKey: `left-${how}`, options: { ...HELD, ...SOON, concurrency: 1, partBytes } };
      const first = await fixture.start(file.path, same);
      if (how !== 'failed') await held();
      if (how === 'cancelled') await first.cancel();
      if (how === 'terminated')
        await fixture.connection.client.workflow.getHandle(first.workflowId).terminate('by hand');
      await expect(first.result()).rejects.toMatchObject({
        code: how === 'failed' ? 'StorageRefused' : 'Cancelled',
      });
      simulator.clearFaults();
      const second = await fixture.start(file.path, { ...same, options: { concurrency: 1 } });
      const result = await second.result();
      const session = fixture.session(result.uploadId);
      expect(session.parts.map((part) => part.puts)).toEqual(puts);
      const kept = result.parts.filter(({ attempts }) => attempts === 0).length;
      expect([kept, result.orphans, result.earlier]).toEqual([how === 'failed' ? 3 : 1, [], undefined]);
      expect(simulator.seen().starts).toBe(starts + 1);
      expect(await simulator.objectSha256(session.keyName)).toBe(file.sha256);
    },
  );

  it('starts one new session at once if storage no longer knows the one that it left', async () => {
    const { fixture } = on;
    const { simulator } = fixture;
    simulator.fault('put-403-denied:always:part=2');
    const file = await fixture.writeFile('dead.mp4', 2);
    const same = { ingestKey: 'dead', options: { concurrency: 1, partBytes: PART_BYTES } };
    const first = await fixture.start(file.path, same);
    await expect(first.result()).rejects.toMatchObject({ code: 'StorageRefused' });
    simulator.clearFaults();
    const { starts, sessions } = simulator.seen();
    simulator.fault('put-404-NoSuchUpload');
    const { uploadId, orphans, parts } = await (await fixture.start(file.path, same)).result();
    const reason = expect.stringContaining('it could not be continued: part 2: storage answered 404');
    expect(orphans).toMatchObject([{ uploadId: sessions.at(-1)?.uploadId, reason }]);
    expect([simulator.seen().starts, parts.map(({ attempts }) => attempts)]).toEqual([starts + 1, [1, 1]]);
    expect(await simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(file.sha256);
  });
});

it('an upload that is paused ends its running group of parts, begins none until it is resumed, and then continues', async () => {
  const { fixture } = on;
  const held = nextHeld(fixture.simulator);
  const from = lastSeq();
  fixture.simulator.fault('hold:part=1');
  const file = await fixture.writeFile('large-parts.mp4', (2 * PART_MIB * MIB) / PART_BYTES);
  const options = { ...HELD, concurrency: 1, partBytes: PART_MIB * MIB };
  const handle = await fixture.start(file.path, { options });
  await held();
  await handle.pause();
  await handle.pause();
  fixture.simulator.release();
  // The workflow answers once the part's result is in. By then it would have begun any further part.
  const workflow = fixture.connection.client.workflow.getHandle(handle.workflowId);
  const progress = await until(
    'no part is being sent',
    () => workflow.query<UploadProgress>(PROGRESS_QUERY),
    ({ partsDone, partsRunning }) => partsDone === 1 && partsRunning.length === 0,
  );
  expect(progress).toMatchObject({ phase: 'uploading', paused: true, partsDone: 1, partsRunning: [] });
  const begun = fixture.simulator.events().filter(({ event, seq }) => event === 'part-begun' && seq > from);
  expect(begun).toHaveLength(1);
  await handle.resume();
  const result = await handle.result();
  const session = fixture.session(result.uploadId);
  expect(await fixture.simulator.objectSha256(session.keyName)).toBe(file.sha256);
  expect(session.parts.map(({ puts }) => puts)).toEqual([1, 1]);
});
