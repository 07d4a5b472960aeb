import fs, { appendFile, utimes } from 'node:fs/promises';
import type { Clock } from '../../../../../api/clock';
import { MediaServiceError, TransportError } from '../../../../../api/errors';
import { sourcesOf } from '../../../../../files/sources/read-source';
import { createDirectSteps, pollToTheEnd } from '../../../../../api/upload/engine/direct-steps';
import type { UploadSources } from '../../../../../api/upload/sources/source';
import { afterTest } from '../../../../support/after-test';
import { serveFile } from '../../../../support/range-server';
import { openDirectFixture, PART_BYTES } from '../direct-fixture';
import type { DirectFixture } from '../direct-fixture';
import { failureOf } from '../failure-of';
import { scriptedService } from '../scripted-service';

let fixture: DirectFixture;

/** The system's buffers on loopback take it whole. */
const BUFFERED_BYTES = 3 * 1024 * 1024;

describe('an upload in this process, without Temporal', () => {
  afterEach(() => fixture.close());

  it('keeps the fresh URL of one try for the next', async () => {
    fixture = await openDirectFixture({ simulator: { initialUrls: 1 } });
    const { path } = await fixture.writeFile('film.mp4', PART_BYTES + 1);
    fixture.simulator.fault('put-503:4');
    await fixture.upload(fixture.request(path));
    const { requests, faults } = fixture.simulator.seen();
    expect([requests['urls'], faults.struck]).toEqual([1, { 'put-503': 4 }]);
  });

  it('waits for a file that is younger than its minimum age, and then uploads all of it', async () => {
    fixture = await openDirectFixture();
    const { path } = await fixture.writeFile('film.mp4', 1234);
    const source = { kind: 'path', path, host: 'here', minAgeMs: 3_600_000 } as const;
    const waits: MediaServiceError[] = [];
    const sleep = async (): Promise<void> => {
      await appendFile(path, 'more');
      if (waits.length === 12) await utimes(path, new Date(0), new Date(0));
    };
    const clock: Clock = { now: () => waits.length * 3_600_000, sleep };
    const steps = createDirectSteps({ ...fixture.service, clock }, sourcesOf(fixture.access), {
      retryForMs: 24 * 3_600_000,
      onStepRetry: (error) => void waits.push(error),
    });
    const { bytes } = await steps.pinSource({ source });
    expect([bytes, waits.length]).toEqual([1234 + 12 * 4, 12]);
    expect(waits[0]).toMatchObject({ code: 'SourceUnavailable', facts: { field: 'source.minAgeMs' } });
    expect(waits[0]?.message).toMatch(/film\.mp4 was written to \d+ s ago, and must rest for 3600 s/);
    expect(waits[0]?.facts.retryAfterMs).toBeGreaterThan(3_500_000);
  });

  it('ends although the removal of its copy hangs, as on a network share that is away', async () => {
    fixture = await openDirectFixture();
    const { path } = await fixture.writeFile('film.mp4', 1000);
    const server = await serveFile(path);
    afterTest(server.close);
    const hung = jest.spyOn(fs, 'rm').mockReturnValueOnce(new Promise(() => undefined));
    afterTest(() => hung.mockRestore());
    const source = { kind: 'http', url: server.url, label: 'film.mp4', spool: true } as const;
    await fixture.upload(fixture.request(path, { source }));
    expect(hung).toHaveBeenCalledTimes(1);
  });

  it.each([
    [
      'whose buffers take whole parts at once, by trying again',
      { bytes: 2 * BUFFERED_BYTES, rate: 700_000, isRepeated: true },
      { partBytes: BUFFERED_BYTES, concurrency: 2, stallMs: 800 },
    ],
    [
      'that is steady, and sends no part twice',
      { bytes: 4 * PART_BYTES, rate: 8_000_000, isRepeated: false },
      { partBytes: PART_BYTES, concurrency: 4 },
    ],
  ])('gets a file over a slow line %s', async (_line, { bytes, rate, isRepeated }, options) => {
    fixture = await openDirectFixture();
    const { path, sha256 } = await fixture.writeFile('film.mp4', bytes);
    fixture.simulator.fault(`put-slow-line:always:rate=${rate}`);
    const failures: string[] = [];
    const { uploadId } = await fixture.upload(fixture.request(path, { options }), {
      retryForMs: 1,
      onPartRetry: (_part, { code }) => failures.push(code),
    });
    const session = fixture.simulator.seen().sessions.find((one) => one.uploadId === uploadId);
    expect(await fixture.simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
    expect(failures.length > 0).toBe(isRepeated);
  });
});

const AWAY = new TransportError('no connection', { outcome: 'unsent' });
const FULL = new MediaServiceError('SourceUnavailable', 'no room', { outcome: 'unsent', field: 'spoolDir' });

it.each([
  ['a minute, as an address may be wrong,', 'the server of a source was never reached', 'pinSource', AWAY, 1],
  ['a minute, as an address may be wrong,', 'storage was never reached', 'sendPart', AWAY, 1],
  ['a quarter of an hour', 'the spool folder has no room', 'pinSource', FULL, 15],
] as const)(
  'an upload reports tries, and ends within %s if %s',
  async (_limit, _what, step, lost, minutes) => {
    const { service, slept } = scriptedService(() => ({ status: 404 }));
    const reported: MediaServiceError[] = [];
    const sources: UploadSources = {
      transport: { send: () => Promise.reject(lost) },
      pin: () => Promise.reject(lost),
      open: () => ({ read: async function* () {} }),
      release: async () => undefined,
    };
    const steps = createDirectSteps(service.once, sources, {
      onStepRetry: (error) => reported.push(error),
      onPartRetry: (_part, error) => reported.push(error),
    });
    const source = { kind: 'path', path: '/films/film.mp4' } as const;
    const part = {
      ...{ uploadId: 'u-1', partNumber: 1, offset: 0, bytes: 1, verifyMd5: true, stallMs: 1_000 },
      source: { source, bytes: 1, fingerprint: 'f', fileName: 'film.mp4' },
      url: { partNumber: 1, url: 'https://s3.example.com/k' },
    };
    const trying = step === 'pinSource' ? steps.pinSource({ source }) : steps.sendPart(part);
    expect(await failureOf(trying)).toBe(lost);
    const waited = slept.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeLessThanOrEqual(minutes * 60_000);
    expect(waited).toBeGreaterThan(minutes * 30_000 - 16_000);
    expect(reported.length).toBeGreaterThanOrEqual(4);
    expect(new Set(reported)).toEqual(new Set([lost]));
  },
);

const HOUR_MS = 3_600_000;
const STARTED_AT = 1_000_000;
const POLL = { uploadId: 'u-1', completedAt: STARTED_AT, limitMs: 24 * HOUR_MS };

it('polling survives a service that is down for hours, as long as processing may take', async () => {
  const elapsedMs = (): number => service.clock.now() - STARTED_AT;
  const { service } = scriptedService(() =>
    elapsedMs() < 5 * HOUR_MS
      ? { status: 503 }
      : { status: 200, body: { uploadId: 'u-1', status: 'COMPLETED' } },
  );
  expect(await pollToTheEnd(service.once, POLL)).toMatchObject({ status: 'COMPLETED' });
  expect(elapsedMs()).toBeGreaterThan(5 * HOUR_MS);
});

it('polling ends when processing takes longer than allowed', async () => {
  const { service } = scriptedService(() => ({ status: 503 }));
  await failureOf(pollToTheEnd(service.once, { ...POLL, limitMs: HOUR_MS }));
  const elapsedMs = service.clock.now() - STARTED_AT;
  expect(elapsedMs).toBeGreaterThan(0.9 * HOUR_MS);
  expect(elapsedMs).toBeLessThan(1.1 * HOUR_MS);
});
