import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { failureOf } from '../../failure-of';
import { PART_BYTES } from '../../fake-steps';
import { Killed, KillableService, PARTS } from './killable-service';

/** The number of kill points in one undisturbed run. */
async function boundaries(): Promise<number> {
  for (let killAt = 1; ; killAt += 1) {
    const service = new KillableService();
    const killed = await service.run({ killAt }).then(
      () => false,
      (error: unknown) => error instanceof Killed,
    );
    if (!killed) return killAt - 1;
  }
}

const killedAt = async (service: KillableService, killAt: number): Promise<boolean> =>
  service.run({ killAt }).then(
    () => false,
    (error: unknown) => {
      if (error instanceof Killed) return true;
      throw error;
    },
  );

const ALL_PARTS = Array.from({ length: PARTS }, (_, index) => `film-${index + 1}`).join();

describe('an upload with a journal', () => {
  test('has kill points before and after every step and every journal entry', async () => {
    // Two each for begin, start, session, 3 parts with an entry each, completing, complete, poll, result.
    expect(await boundaries()).toBe(2 * (3 + 2 * PARTS + 4));
  });

  test('ends COMPLETED in the next run if killed anywhere: one session, one complete, a part at most sent twice', async () => {
    const last = await boundaries();
    for (let killAt = 1; killAt <= last; killAt += 1) {
      const service = new KillableService();
      expect(await killedAt(service, killAt)).toBe(true);
      const { result, past } = await service.run();
      expect([killAt, result.status, service.sessions.length]).toEqual([
        killAt,
        'COMPLETED',
        1 + service.lost,
      ]);
      expect(service.completes).toEqual([`${result.uploadId}:${ALL_PARTS}`]);
      expect(service.puts.length).toBeLessThanOrEqual(PARTS + 2);
      expect(result.orphans.map(({ uploadId }) => uploadId)).toEqual(service.lost === 0 ? [] : ['upload-1']);
      expect(past.continued && past.joined).toBe(false);
      expect(service.entry?.result).toEqual(result);
    }
  });

  test('killed repeatedly anywhere never replaces a session that the journal knows, and completes once', async () => {
    const last = await boundaries();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: last }), { minLength: 1, maxLength: 6 }),
        async (kills) => {
          const service = new KillableService();
          for (const killAt of kills) await killedAt(service, killAt);
          const { result } = await service.run();
          expect(service.sessions.length).toBe(1 + service.lost);
          expect(service.completes).toEqual([`${result.uploadId}:${ALL_PARTS}`]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('does not send a part again that the journal knows', async () => {
    const service = new KillableService();
    const afterTwoParts = 6 + 2 * 4;
    expect(await killedAt(service, afterTwoParts)).toBe(true);
    const written = service.entry?.parts.map(({ partNumber }) => partNumber) ?? [];
    expect(written.length).toBeGreaterThan(0);
    service.puts.length = 0;
    const { past } = await service.run();
    expect(past.continued).toBe(true);
    for (const partNumber of written) expect(service.puts).not.toContain(`upload-1/${partNumber}`);
  });

  test('joins a session that was completed without anybody learning of it, and sends nothing', async () => {
    const service = new KillableService();
    const last = await boundaries();
    expect(await killedAt(service, last - 4)).toBe(true);
    service.puts.length = 0;
    const { result, past } = await service.run();
    expect([past.joined, past.continued, result.uploadId]).toEqual([true, false, 'upload-1']);
    expect(service.puts).toEqual([]);
  });

  test('returns its result to every later run after it ended, and requests nothing from the service', async () => {
    const service = new KillableService();
    const { result } = await service.run();
    // The service may have forgotten the session by then.
    service.sessions.length = 0;
    service.puts.length = 0;
    for (let run = 1; run <= 2; run += 1) {
      const later = await service.run({ killAt: 1 });
      expect(later.result).toEqual(result);
      expect([later.past.joined, later.past.continued]).toEqual([true, false]);
    }
    expect([service.sessions, service.puts]).toEqual([[], []]);
    expect(JSON.stringify(service.entry)).not.toContain('sealed');
  });

  test.each<[string, (service: KillableService) => Parameters<KillableService['run']>[0], string]>([
    ['another file of the same size', (service) => void (service.content = 'other film'), 'SourceChanged'],
    ['a file of another size', (service) => void (service.bytes += PART_BYTES), 'SourceChanged'],
    ['other media fields', () => ({ request: { media: { title: 'Another film' } } }), 'InputDiffers'],
  ])(
    'refuses %s under its key after it ended, unless a new upload is requested explicitly',
    async (_what, change, code) => {
      const service = new KillableService();
      const first = await service.run();
      const asked = change(service);
      const error = await failureOf(service.run(asked));
      expect([error.code, error.facts.details?.['uploadId']]).toEqual([code, first.result.uploadId]);
      expect(error.facts.hint).toBeUndefined();
      const { result, past } = await service.run({ ...asked, again: true });
      expect([result.uploadId, result.orphans, past.joined]).toEqual(['upload-2', [], false]);
      expect(service.entry?.result).toEqual(result);
    },
  );

  test.each([
    ['ended FAILED', 'FAILED', /^it ended FAILED/],
    ['is unknown to the service', 'gone', /no longer knew it/],
  ])('names a session that %s, and starts another one', async (_what, how, reason) => {
    const service = new KillableService();
    await killedAt(service, 10);
    const [first] = service.sessions;
    if (first !== undefined && how === 'FAILED') first.status = 'FAILED';
    if (how === 'gone') service.sessions[0] = { uploadId: 'other', status: 'INITIALIZED', parts: new Map() };
    const { result, past } = await service.run();
    expect(past.abandoned).toEqual([{ uploadId: 'upload-1', reason: expect.stringMatching(reason) }]);
    expect([past.continued, result.uploadId]).toEqual([false, 'upload-2']);
  });

  test('starts another session only if its URLs expired and no fresh ones are available', async () => {
    for (const renewable of [false, true]) {
      const service = new KillableService();
      service.urlEnd = -1;
      await killedAt(service, 10);
      const { result, past } = await service.run({ renewable });
      expect(result.uploadId).toBe(renewable ? 'upload-1' : 'upload-2');
      expect(past.abandoned.map((one) => one.reason)).toEqual(renewable ? [] : ['its URLs expired']);
    }
  });

  test('refuses another file of the same size once a part was sent, whatever its fingerprint', async () => {
    const service = new KillableService();
    await killedAt(service, 14);
    service.content = 'other film';
    const error = await failureOf(service.run());
    expect([error.code, error.facts.details?.['uploadId']]).toEqual(['SourceChanged', 'upload-1']);
    expect(error.message).toContain('film.mp4');
    expect(service.completes).toEqual([]);
  });

  describe("whose parts storage can't verify (SSE-KMS, or checks that are off)", () => {
    const unverified = (): KillableService => Object.assign(new KillableService(), { verifies: false });

    test('refuses another file of the same size under its key after it ended', async () => {
      const service = unverified();
      const first = await service.run();
      expect(first.result.parts.map(({ verified }) => verified)).toEqual([false, false, false]);
      service.content = 'other film';
      const error = await failureOf(service.run());
      expect([error.code, error.facts.details?.['uploadId']]).toEqual(['SourceChanged', 'upload-1']);
    });

    test('refuses another file of the same size after an interruption, and completes nothing', async () => {
      const service = unverified();
      await killedAt(service, 14);
      service.content = 'other film';
      expect((await failureOf(service.run())).code).toBe('SourceChanged');
      expect(service.completes).toEqual([]);
    });

    test('keeps its parts when the same file comes from another location', async () => {
      const service = unverified();
      await killedAt(service, 14);
      const written = service.entry?.parts.map(({ partNumber }) => partNumber) ?? [];
      expect(written.length).toBeGreaterThan(0);
      service.folder = 'another folder';
      service.puts.length = 0;
      const { result } = await service.run();
      expect(result.status).toBe('COMPLETED');
      for (const partNumber of written) expect(service.puts).not.toContain(`upload-1/${partNumber}`);
    });

    test('returns its result for the same file from another location after it ended', async () => {
      const service = unverified();
      const { result } = await service.run();
      service.folder = 'another folder';
      expect((await service.run()).result).toEqual(result);
    });
  });

  test('starts no session after its lock is lost', async () => {
    const service = new KillableService();
    service.lockLost = () => true;
    await expect(service.run()).rejects.toThrow('the lock is lost');
    expect(service.sessions).toEqual([]);
  });

  test('sends no complete after its lock is lost; the next run does', async () => {
    const service = new KillableService();
    service.lockLost = ({ puts }) => puts.length === PARTS;
    await expect(service.run()).rejects.toThrow('the lock is lost');
    expect([service.puts.length, service.completes]).toEqual([PARTS, []]);
    service.lockLost = undefined;
    const { result } = await service.run();
    expect(service.completes).toEqual([`${result.uploadId}:${ALL_PARTS}`]);
  });

  test('keeps the digests of its parts in the journal, not in the result', async () => {
    const service = new KillableService();
    const { result } = await service.run();
    expect(service.entry?.parts.map(({ md5 }) => md5).sort()).toEqual(ALL_PARTS.split(','));
    expect(JSON.stringify(result)).not.toContain('md5');
  });

  test('refuses a file of another size', async () => {
    const service = new KillableService();
    await killedAt(service, 10);
    service.bytes += PART_BYTES;
    const error = await failureOf(service.run());
    expect(error.code).toBe('SourceChanged');
    const { ingestKey } = service.entry ?? {};
    expect(error.facts.hint).toContain(`The next run under the ingest key ${ingestKey} continues`);
  });

  test("can't mix files over three runs, since a part only counts with the source that it was read from", async () => {
    const service = new KillableService();
    await killedAt(service, 6);
    service.content = 'other film';
    await killedAt(service, 10);
    expect(service.entry?.parts.length).toBeGreaterThan(0);
    service.content = 'film';
    expect((await failureOf(service.run())).code).toBe('SourceChanged');
  });

  test('refuses other media fields under the same key', async () => {
    const service = new KillableService();
    await killedAt(service, 10);
    const error = await failureOf(service.run({ request: { media: { title: 'Another film' } } }));
    expect([error.code, error.facts.details?.['uploadId']]).toEqual(['InputDiffers', 'upload-1']);
  });

  test('says that a session may exist if start lost its answer without the ingest tag, and the next run starts', async () => {
    const service = new KillableService();
    await killedAt(service, 4);
    const error = await failureOf(service.run({ searchable: false }));
    expect(error.code).toBe('StartAmbiguous');
    expect(error.message).toContain('may exist');
    const { result } = await service.run({ searchable: false });
    expect(result.uploadId).toBe('upload-2');
  });
});
