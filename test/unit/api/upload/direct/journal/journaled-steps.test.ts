import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { failureOf } from '../../failure-of';
import { PART_BYTES } from '../../fake-steps';
import { Killed, KillableWorld, PARTS } from './killable-world';

/** Boundaries of one undisturbed run, after which it is over. */
async function boundaries(): Promise<number> {
  for (let killAt = 1; ; killAt += 1) {
    const world = new KillableWorld();
    const killed = await world.run({ killAt }).then(
      () => false,
      (error: unknown) => error instanceof Killed,
    );
    if (!killed) return killAt - 1;
  }
}

const killedAt = async (world: KillableWorld, killAt: number): Promise<boolean> =>
  world.run({ killAt }).then(
    () => false,
    (error: unknown) => {
      if (error instanceof Killed) return true;
      throw error;
    },
  );

const ALL_PARTS = Array.from({ length: PARTS }, (_, index) => `film-${index + 1}`).join();

describe('an upload with a journal', () => {
  test('has boundaries before and after every step and every entry', async () => {
    // begin, start, session, 3 parts with an entry each, completing, complete, poll, result: two each.
    expect(await boundaries()).toBe(2 * (3 + 2 * PARTS + 4));
  });

  test('killed once at any boundary ends COMPLETED in the next run: one session, every part sent once more at most, one complete', async () => {
    const last = await boundaries();
    for (let killAt = 1; killAt <= last; killAt += 1) {
      const world = new KillableWorld();
      expect(await killedAt(world, killAt)).toBe(true);
      const { result, past } = await world.run();
      expect([killAt, result.status, world.sessions.length]).toEqual([killAt, 'COMPLETED', 1 + world.lost]);
      expect(world.completes).toEqual([`${result.uploadId}:${ALL_PARTS}`]);
      expect(world.puts.length).toBeLessThanOrEqual(PARTS + 2);
      expect(result.orphans.map(({ uploadId }) => uploadId)).toEqual(world.lost === 0 ? [] : ['upload-1']);
      expect(past.continued && past.joined).toBe(false);
      expect(world.entry?.result).toEqual(result);
    }
  });

  test('killed again and again anywhere never makes a session whose predecessor was written down, and completes once', async () => {
    const last = await boundaries();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: last }), { minLength: 1, maxLength: 6 }),
        async (kills) => {
          const world = new KillableWorld();
          for (const killAt of kills) await killedAt(world, killAt);
          const { result } = await world.run();
          expect(world.sessions.length).toBe(1 + world.lost);
          expect(world.completes).toEqual([`${result.uploadId}:${ALL_PARTS}`]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('sends no part again that was written down', async () => {
    const world = new KillableWorld();
    const afterTwoParts = 6 + 2 * 4;
    expect(await killedAt(world, afterTwoParts)).toBe(true);
    const written = world.entry?.parts.map(({ partNumber }) => partNumber) ?? [];
    expect(written.length).toBeGreaterThan(0);
    world.puts.length = 0;
    const { past } = await world.run();
    expect(past.continued).toBe(true);
    for (const partNumber of written) expect(world.puts).not.toContain(`upload-1/${partNumber}`);
  });

  test('joins a session that was completed although nobody heard of it: nothing is sent', async () => {
    const world = new KillableWorld();
    const last = await boundaries();
    expect(await killedAt(world, last - 4)).toBe(true);
    world.puts.length = 0;
    const { result, past } = await world.run();
    expect([past.joined, past.continued, result.uploadId]).toEqual([true, false, 'upload-1']);
    expect(world.puts).toEqual([]);
  });

  test('that ended is joined by every later run: its result, and nothing is asked of the service', async () => {
    const world = new KillableWorld();
    const { result } = await world.run();
    // The service may have forgotten the session by then.
    world.sessions.length = 0;
    world.puts.length = 0;
    for (let run = 1; run <= 2; run += 1) {
      const later = await world.run({ killAt: 1 });
      expect(later.result).toEqual(result);
      expect([later.past.joined, later.past.continued]).toEqual([true, false]);
    }
    expect([world.sessions, world.puts]).toEqual([[], []]);
    expect(JSON.stringify(world.entry)).not.toContain('sealed');
  });

  test.each<[string, (world: KillableWorld) => Parameters<KillableWorld['run']>[0], string]>([
    ['another file of the same size', (world) => void (world.content = 'other film'), 'SourceChanged'],
    ['a file of another size', (world) => void (world.bytes += PART_BYTES), 'SourceChanged'],
    ['other media fields', () => ({ request: { media: { title: 'Another film' } } }), 'InputDiffers'],
  ])(
    'that ended refuses %s under its key, until it is asked for again on purpose',
    async (_what, change, code) => {
      const world = new KillableWorld();
      const first = await world.run();
      const asked = change(world);
      const error = await failureOf(world.run(asked));
      expect([error.code, error.facts.details?.['uploadId']]).toEqual([code, first.result.uploadId]);
      expect(error.facts.hint).not.toContain('goes on');
      const { result, past } = await world.run({ ...asked, again: true });
      expect([result.uploadId, result.orphans, past.joined]).toEqual(['upload-2', [], false]);
      expect(world.entry?.result).toEqual(result);
    },
  );

  test.each([
    ['ended FAILED', 'FAILED', /^it ended FAILED/],
    ['is unknown to the service', 'gone', /no longer knew it/],
  ])('names a session that %s, and starts another one', async (_what, how, reason) => {
    const world = new KillableWorld();
    await killedAt(world, 10);
    const [first] = world.sessions;
    if (first !== undefined && how === 'FAILED') first.status = 'FAILED';
    if (how === 'gone') world.sessions[0] = { uploadId: 'other', status: 'INITIALIZED', parts: new Map() };
    const { result, past } = await world.run();
    expect(past.abandoned).toEqual([{ uploadId: 'upload-1', reason: expect.stringMatching(reason) }]);
    expect([past.continued, result.uploadId]).toEqual([false, 'upload-2']);
  });

  test('starts another session where the URLs ended and no more can be asked for, and goes on where they can', async () => {
    for (const renewable of [false, true]) {
      const world = new KillableWorld();
      world.urlEnd = -1;
      await killedAt(world, 10);
      const { result, past } = await world.run({ renewable });
      expect(result.uploadId).toBe(renewable ? 'upload-1' : 'upload-2');
      expect(past.abandoned.map((one) => one.reason)).toEqual(renewable ? [] : ['its URLs expired']);
    }
  });

  test('another file of the same size is refused once a part was sent, whatever its fingerprint', async () => {
    const world = new KillableWorld();
    await killedAt(world, 14);
    world.content = 'other film';
    const error = await failureOf(world.run());
    expect([error.code, error.facts.details?.['uploadId']]).toEqual(['SourceChanged', 'upload-1']);
    expect(error.message).toContain('film.mp4');
    expect(world.completes).toEqual([]);
  });

  describe('whose parts storage cannot verify (SSE-KMS, or checks that are off)', () => {
    const unverified = (): KillableWorld => Object.assign(new KillableWorld(), { verifies: false });

    test('that ended refuses another file of the same size under its key', async () => {
      const world = unverified();
      const first = await world.run();
      expect(first.result.parts.map(({ verified }) => verified)).toEqual([false, false, false]);
      world.content = 'other film';
      const error = await failureOf(world.run());
      expect([error.code, error.facts.details?.['uploadId']]).toEqual(['SourceChanged', 'upload-1']);
    });

    test('that was cut off refuses another file of the same size, and completes nothing', async () => {
      const world = unverified();
      await killedAt(world, 14);
      world.content = 'other film';
      expect((await failureOf(world.run())).code).toBe('SourceChanged');
      expect(world.completes).toEqual([]);
    });

    test('goes on with the parts that it has when the same file comes from another place', async () => {
      const world = unverified();
      await killedAt(world, 14);
      const written = world.entry?.parts.map(({ partNumber }) => partNumber) ?? [];
      expect(written.length).toBeGreaterThan(0);
      world.place = 'another folder';
      world.puts.length = 0;
      const { result } = await world.run();
      expect(result.status).toBe('COMPLETED');
      for (const partNumber of written) expect(world.puts).not.toContain(`upload-1/${partNumber}`);
    });

    test('that ended gives its result to the same file from another place', async () => {
      const world = unverified();
      const { result } = await world.run();
      world.place = 'another folder';
      expect((await world.run()).result).toEqual(result);
    });
  });

  test('starts no session once its lock is lost', async () => {
    const world = new KillableWorld();
    world.lockLost = () => true;
    await expect(world.run()).rejects.toThrow('the lock is lost');
    expect(world.sessions).toEqual([]);
  });

  test('sends no complete once its lock is lost; the next run does', async () => {
    const world = new KillableWorld();
    world.lockLost = ({ puts }) => puts.length === PARTS;
    await expect(world.run()).rejects.toThrow('the lock is lost');
    expect([world.puts.length, world.completes]).toEqual([PARTS, []]);
    world.lockLost = undefined;
    const { result } = await world.run();
    expect(world.completes).toEqual([`${result.uploadId}:${ALL_PARTS}`]);
  });

  test('keeps the digests of its parts in the journal, not in the result', async () => {
    const world = new KillableWorld();
    const { result } = await world.run();
    expect(world.entry?.parts.map(({ md5 }) => md5).sort()).toEqual(ALL_PARTS.split(','));
    expect(JSON.stringify(result)).not.toContain('md5');
  });

  test('a file of another size is refused', async () => {
    const world = new KillableWorld();
    await killedAt(world, 10);
    world.bytes += PART_BYTES;
    const error = await failureOf(world.run());
    expect(error.code).toBe('SourceChanged');
    const { ingestKey } = world.entry ?? {};
    expect(error.facts.hint).toContain(`The next run under the ingest key ${ingestKey} goes on`);
  });

  test('a mixed file cannot come about over three runs: a part counts with the source that it was read from', async () => {
    const world = new KillableWorld();
    await killedAt(world, 6);
    world.content = 'other film';
    await killedAt(world, 10);
    expect(world.entry?.parts.length).toBeGreaterThan(0);
    world.content = 'film';
    expect((await failureOf(world.run())).code).toBe('SourceChanged');
  });

  test('other media fields under the same key are refused', async () => {
    const world = new KillableWorld();
    await killedAt(world, 10);
    const error = await failureOf(world.run({ request: { media: { title: 'Another film' } } }));
    expect([error.code, error.facts.details?.['uploadId']]).toEqual(['InputDiffers', 'upload-1']);
  });

  test('a start whose answer nobody heard: without the ingest tag it says that a session may exist, and the next run starts', async () => {
    const world = new KillableWorld();
    await killedAt(world, 4);
    const error = await failureOf(world.run({ searchable: false }));
    expect(error.code).toBe('StartAmbiguous');
    expect(error.message).toContain('may exist');
    const { result } = await world.run({ searchable: false });
    expect(result.uploadId).toBe('upload-2');
  });
});
