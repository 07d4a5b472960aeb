import { appendFileSync, renameSync } from 'node:fs';
import fs, { appendFile, readdir, utimes } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Clock } from '../../../../../api/clock';
import { HOUR_MS } from '../../../../../api/clock';
import { TransportError } from '../../../../../api/errors';
import type { MediaServiceError } from '../../../../../api/errors';
import type { Transport } from '../../../../../api/transport/transport';
import { sourcesOf } from '../../../../../files/sources/read-source';
import { createDirectSteps, directControl } from '../../../../../api/upload/engine/direct-steps';
import { runUpload } from '../../../../../api/upload/engine/run-upload';
import { freePort } from '../../../../support/free-port';
import { serveFile } from '../../../../support/range-server';
import { openDirectFixture, PART_BYTES } from '../direct-fixture';
import type { DirectFixture } from '../direct-fixture';
import { failureOf } from '../failure-of';
import { serve } from '../local-server';

let fixture: DirectFixture;
afterEach(() => fixture.close());

const [BYTES, PARTS] = [3 * PART_BYTES + 1234, 4];

async function storedSha256(): Promise<string> {
  const session = fixture.simulator.seen().sessions.at(-1);
  return fixture.simulator.objectSha256(session?.keyName ?? '');
}

describe('an upload in this process, without Temporal', () => {
  it('arrives with identical bytes and is completed once, with every part verified', async () => {
    fixture = await openDirectFixture();
    const { path, sha256 } = await fixture.writeFile('film.mp4', BYTES);
    const result = await fixture.upload(fixture.request(path));
    expect(await storedSha256()).toBe(sha256);
    expect(result).toMatchObject({
      status: 'COMPLETED',
      fileName: 'film.mp4',
      fileType: 'MP4',
      bytes: BYTES,
      retries: 0,
      orphans: [],
    });
    expect(result.parts.map(({ partNumber, bytes, verified }) => [partNumber, bytes, verified])).toEqual([
      [1, PART_BYTES, true],
      [2, PART_BYTES, true],
      [3, PART_BYTES, true],
      [4, 1234, true],
    ]);
    const seen = fixture.simulator.seen();
    expect([seen.starts, seen.completesAccepted, seen.completesRefused]).toEqual([1, 1, 0]);
    expect(seen.bearerToStorage).toEqual([]);
    expect(seen.maxPutsAtOnce).toBeLessThanOrEqual(3);
    expect(fixture.progress.at(-1)).toMatchObject({ phase: 'completed', partsDone: PARTS, bytesDone: BYTES });
  });

  it.each<[string, string, OutgoingHttpHeaders]>([
    ['a web page', '<!doctype html><title>Expired</title>', { 'content-type': 'text/html' }],
    ['a compressed answer', 'compressed', { 'content-type': 'video/mp4', 'content-encoding': 'gzip' }],
  ])(
    'starts no session for %s in place of the video, unless that is allowed',
    async (_what, body, headers) => {
      fixture = await openDirectFixture();
      const server = await serve((_request, response) => void response.writeHead(200, headers).end(body));
      try {
        const url = `${server.origin}/film.mp4`;
        const source = { kind: 'http', url, label: 'http://cdn/film.mp4' } as const;
        const error = await failureOf(fixture.upload(fixture.request('', { source })));
        expect(error.code).toBe('SourceMissing');
        expect(error.message).toContain(
          `the source film.mp4 does not contain MP4: ${headers['content-type']}`,
        );
        expect(error.facts.hint).toContain('{acceptAnyContent}');
        expect(fixture.simulator.seen().starts).toBe(0);
        const options = { acceptAnyContent: true };
        expect(await fixture.upload(fixture.request('', { source, options }))).toMatchObject({
          status: 'COMPLETED',
          bytes: body.length,
        });
        expect(await readdir(join(fixture.folder, 'spool'))).toEqual([]);
      } finally {
        await server.close();
      }
    },
  );

  it('keeps the fresh URL of one try for the next', async () => {
    fixture = await openDirectFixture({ simulator: { initialUrls: 1 } });
    const { path } = await fixture.writeFile('film.mp4', PART_BYTES + 1);
    fixture.simulator.fault('put-503:4');
    await fixture.upload(fixture.request(path));
    expect(fixture.simulator.seen()).toMatchObject({
      requests: { urls: 1 },
      faults: { struck: { 'put-503': 4 } },
    });
  });

  it.each([
    ['its last part was read, and storage has not answered yet', 3, 600],
    ['its first part was read, and the others are stored', 1, PART_BYTES - 1],
  ])('ends as SourceChanged if the file grows once %s', async (_when, part, bytes) => {
    fixture = await openDirectFixture();
    const { path } = await fixture.writeFile('film.mp4', 2 * PART_BYTES + 1234);
    fixture.simulator.fault(`hold:part=${part},bytes=${bytes}`);
    const upload = failureOf(fixture.upload(fixture.request(path)));
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    // In one write: appendFile writes in pieces, and the uploader may look between them.
    appendFileSync(path, Buffer.alloc(1024 * 1024));
    fixture.simulator.release();
    const { code, message } = await upload;
    expect([code, message]).toEqual([
      'SourceChanged',
      expect.stringContaining('it has 11535570 bytes, and had 10486994'),
    ]);
    expect(fixture.simulator.seen().completesAccepted).toBe(0);
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
});

describe('an upload whose folder goes away and comes back', () => {
  const away = (): void => renameSync(fixture.folder, `${fixture.folder}-away`);
  const back = (): void => renameSync(`${fixture.folder}-away`, fixture.folder);

  it('while the file is pinned succeeds, and reports the wait', async () => {
    fixture = await openDirectFixture();
    const { path, sha256 } = await fixture.writeFile('film.mp4', BYTES);
    away();
    const reported: string[] = [];
    const onStepRetry = ({ code, message }: Error & { code: string }): void => {
      reported.push(`${code}: ${message}`);
      if (reported.length === 3) back();
    };
    await fixture.upload(fixture.request(path), { onStepRetry });
    expect(await storedSha256()).toBe(sha256);
    expect(reported).toHaveLength(3);
    expect(reported[0]).toBe(
      `SourceUnavailable: the source ${path} can't be read for now: the folder ${fixture.folder} is not there`,
    );
  });

  it('between two parts succeeds, and sends no stored part again', async () => {
    fixture = await openDirectFixture();
    const { path, sha256 } = await fixture.writeFile('film.mp4', BYTES);
    const reported: string[] = [];
    await fixture.upload(fixture.request(path, { options: { partBytes: PART_BYTES, concurrency: 1 } }), {
      onProgress: ({ partsDone, partsRunning }) => {
        if (partsDone === 1 && partsRunning.length === 0 && reported.length === 0) away();
      },
      onPartRetry: (part, { code }) => {
        reported.push(`${part} ${code}`);
        if (reported.length === 2) back();
      },
    });
    expect(await storedSha256()).toBe(sha256);
    expect(reported).toEqual(['2 SourceUnavailable', '2 SourceUnavailable']);
    expect(fixture.simulator.seen().sessions[0]?.parts.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
  });
});

describe('an upload of a URL', () => {
  it.each([
    ['grew', 'SourceChanged'],
    ["can't be reached any more", undefined],
  ])('looks at the source once more after its last part, which %s', async (what, code) => {
    fixture = await openDirectFixture();
    const { path } = await fixture.writeFile('film.mp4', BYTES);
    const server = await serveFile(path);
    fixture.simulator.fault('hold:part=4,bytes=600');
    const source = { kind: 'http', url: server.url, label: 'http://127.0.0.1/film.mp4' } as const;
    const sending = fixture.upload(fixture.request(path, { source }));
    const upload = code === undefined ? sending : failureOf(sending);
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    if (what === 'grew') await appendFile(path, 'more');
    else await server.close();
    fixture.simulator.release();
    expect(await upload).toMatchObject(code === undefined ? { status: 'COMPLETED' } : { code });
    if (what === 'grew') await server.close();
    expect(fixture.simulator.seen().completesAccepted).toBe(code === undefined ? 1 : 0);
  });

  it.each([
    ['room in the spool folder comes after ten minutes', 10, undefined],
    ['no room comes within a quarter of an hour', 60, 'SourceUnavailable'],
  ])(
    'waits for room in the spool folder, longer than for a wrong address: %s',
    async (_what, minutes, code) => {
      fixture = await openDirectFixture();
      const { path } = await fixture.writeFile('film.mp4', PART_BYTES);
      const server = await serveFile(path);
      let now = 0;
      const clock: Clock = { now: () => now, sleep: async (ms) => void (now += ms) };
      const statfs = jest.spyOn(fs, 'statfs').mockImplementation((async () => ({
        bsize: 1,
        blocks: 1e12,
        bavail: now < minutes * 60_000 ? 0 : 1e12,
      })) as unknown as typeof fs.statfs);
      try {
        const source = { kind: 'http', url: server.url, label: 'film.mp4', spool: true } as const;
        const pinning = createDirectSteps({ ...fixture.service, clock }, sourcesOf(fixture.access)).pinSource(
          {
            source,
          },
        );
        if (code === undefined) expect((await pinning).bytes).toBe(PART_BYTES);
        else expect((await failureOf(pinning)).code).toBe(code);
        expect(now).toBeGreaterThan(9 * 60_000);
      } finally {
        statfs.mockRestore();
        await server.close();
      }
    },
  );

  it('ends although the removal of its copy hangs, as on a network share that is away', async () => {
    fixture = await openDirectFixture();
    const { path } = await fixture.writeFile('film.mp4', 1000);
    const server = await serveFile(path);
    const hung = jest.spyOn(fs, 'rm').mockReturnValueOnce(new Promise(() => undefined));
    try {
      const source = { kind: 'http', url: server.url, label: 'film.mp4', spool: true } as const;
      expect(await fixture.upload(fixture.request(path, { source }))).toMatchObject({ status: 'COMPLETED' });
      expect(hung).toHaveBeenCalledTimes(1);
    } finally {
      hung.mockRestore();
      await server.close();
    }
  });

  it('ends within a minute if its server was never reached, and reports each try before', async () => {
    fixture = await openDirectFixture();
    const url = `http://127.0.0.1:${await freePort()}/film.mp4`;
    let slept = 0;
    const clock: Clock = { now: () => slept, sleep: async (ms) => void (slept += ms) };
    const reported: string[] = [];
    const steps = createDirectSteps({ ...fixture.service, clock }, sourcesOf(fixture.access), {
      onStepRetry: ({ code }) => reported.push(code),
    });
    const pinning = steps.pinSource({ source: { kind: 'http', url, label: url } });
    await expect(pinning).rejects.toMatchObject({ code: 'Transport' });
    expect(slept).toBeLessThanOrEqual(60_000);
    expect(reported.length).toBeGreaterThanOrEqual(4);
    expect(new Set(reported)).toEqual(new Set(['Transport']));
  });

  it('ends within a minute if storage was never reached', async () => {
    fixture = await openDirectFixture();
    const { path } = await fixture.writeFile('film.mp4', 2 * PART_BYTES);
    const transport: Transport = {
      send: (request) => {
        if (request.method !== 'PUT') return fixture.access.transport.send(request);
        throw new TransportError('no connection', { outcome: 'unsent' });
      },
    };
    let slept = 0;
    const clock: Clock = { now: () => slept, sleep: async (ms) => void (slept += ms) };
    const service = { ...fixture.service, clock };
    const hooks = { retryForMs: HOUR_MS };
    const steps = createDirectSteps(service, sourcesOf({ ...fixture.access, transport }), hooks);
    const control = directControl(service, steps, { ...hooks, onProgress: () => undefined });
    const request = fixture.request(path, { options: { concurrency: 1 } });
    expect((await failureOf(runUpload(request, steps, control))).message).toBe('no connection');
    expect(slept).toBeLessThanOrEqual(60_000);
  });
});
