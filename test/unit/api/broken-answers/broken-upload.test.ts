import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { MediaServiceError } from '../../../../api/errors';
import { createService } from '../../../../api/service/create-service';
import type { HttpAnswer, HttpRequest } from '../../../../api/transport/transport';
import { createDirectSteps, directControl } from '../../../../api/upload/direct/direct-steps';
import { runUpload } from '../../../../api/upload/run-upload';
import { createTempDir } from '../../../support/temp-dir';
import type { TempDir } from '../../../support/temp-dir';
import { breaking } from './broken-answer';
import type { Breaking, BrokenAnswer, Json, ValidAnswer } from './broken-answer';

const RUNS = 500;
const DAY_MS = 24 * 60 * 60_000;
const PART_BYTES = 5 * 1024 * 1024;
const PARTS = 2;

let temp: TempDir;
let film: string;
let bytes: Buffer;
beforeAll(async () => {
  temp = await createTempDir('broken');
  film = path.join(temp.path, 'film.mp4');
  bytes = Buffer.alloc(PART_BYTES + 100, 'film');
  await writeFile(film, bytes);
});
afterAll(() => temp.remove());

interface Session {
  readonly uploadId: string;
  readonly key: string;
  readonly parts: Map<number, string>;
  status: 'INITIALIZED' | 'COMPLETED';
}

/** A service that executes every request as the interface says. Its answers may be broken. */
class ModelService {
  readonly sessions: Session[] = [];

  async handle(request: HttpRequest): Promise<ValidAnswer> {
    const { pathname, searchParams, host } = new URL(request.url);
    if (host === 'storage.example.com')
      return this.put(pathname, Number(searchParams.get('partNumber')), request);
    const body = typeof request.body === 'string' ? (JSON.parse(request.body) as Record<string, never>) : {};
    if (pathname === '/api/login')
      return { json: { accessToken: 'token', refreshToken: 'unused' }, status: 200 };
    if (pathname === '/api/media/search') return this.search(body);
    if (pathname === '/upload/start') return this.start(body);
    const session = this.sessions.find(({ uploadId }) => pathname.split('/')[2] === uploadId);
    if (session === undefined) return { json: { message: 'There is no such session.' }, status: 400 };
    return pathname.endsWith('/complete') ? this.complete(session) : { json: shown(session), status: 200 };
  }

  private start({ media }: { media?: { tags: { ingestKey: string } } }): ValidAnswer {
    const uploadId = `u-${String(this.sessions.length + 1)}`;
    const session: Session = {
      uploadId,
      key: media?.tags.ingestKey ?? '',
      parts: new Map(),
      status: 'INITIALIZED',
    };
    this.sessions.push(session);
    const presignedUrls = [1, 2].map((partNumber) => ({
      partNumber,
      presignedUrl: `https://storage.example.com/${uploadId}?partNumber=${String(partNumber)}&X-Amz-Signature=abc`,
    }));
    return { json: { ...shown(session), presignedUrls }, status: 201 };
  }

  private search({ tags }: { tags?: { ingestKey: string } }): ValidAnswer {
    const found = this.sessions.filter(({ key }) => key === tags?.ingestKey);
    const content = found.map(({ uploadId, key }) => ({
      id: `m-${uploadId}`,
      uploadId,
      tags: { ingestKey: key },
    }));
    return {
      json: { content, totalElements: content.length, totalPages: 1, number: 0, size: 20 },
      status: 200,
    };
  }

  private async put(pathname: string, part: number, { body }: HttpRequest): Promise<ValidAnswer> {
    const hash = createHash('md5');
    if (typeof body === 'object') for await (const chunk of body.open()) hash.update(chunk);
    const eTag = hash.digest('hex');
    this.sessions.find(({ uploadId }) => pathname === `/${uploadId}`)?.parts.set(part, eTag);
    return { json: '', status: 200, headers: { etag: `"${eTag}"` } };
  }

  private complete(session: Session): ValidAnswer {
    if (session.status === 'COMPLETED' || session.parts.size !== PARTS)
      return { json: { message: 'It can’t be completed.' }, status: 400 };
    session.status = 'COMPLETED';
    return { json: { ...shown(session), status: 'PENDING_COMPLETE' }, status: 202 };
  }
}

function shown({ uploadId, status, parts }: Session): { readonly [name: string]: Json } {
  return {
    ...{
      uploadId,
      status,
      mediaId: `m-${uploadId}`,
      fileUrl: 'https://storage.example.com/film',
      failureReason: null,
    },
    parts: [...parts].map(([partNumber, eTag]) => ({ partNumber, eTag })),
  };
}

/** Which answers of an upload are broken, counted from the first request. */
const breaks = fc
  .array(fc.tuple(fc.nat(12), breaking), { minLength: 1, maxLength: 4 })
  .map((all) => new Map(all));

function answerOf({ status, headers, body }: BrokenAnswer): HttpAnswer {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield body;
  }
  return { status, headers, body: chunks() };
}

function whole({ json, status, headers = {} }: ValidAnswer): BrokenAnswer {
  return { status, headers, body: Buffer.from(JSON.stringify(json)) };
}

async function upload(model: ModelService, broken: ReadonlyMap<number, Breaking>): Promise<unknown> {
  let [now, requests, underWay] = [1_000_000, 0, 0];
  /** Time passes only in sleeps, and none during a request, so that nothing stalls. */
  const clock = {
    now: () => now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      while (underWay > 0 && signal?.aborted !== true) await nextTurn();
      signal?.throwIfAborted();
      now += ms;
    },
  };
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    const breakIt = broken.get(requests) ?? whole;
    requests += 1;
    underWay += 1;
    try {
      return answerOf(breakIt(await model.handle(request)));
    } finally {
      underWay -= 1;
    }
  };
  const service = createService({
    account: {
      ...{ baseUrl: 'https://api.example.com', uploadUrl: 'https://upload.example.com' },
      ...{ externalId: 'studio', apiKey: 'key', secretKey: 'secret' },
    },
    transport: { send },
    clock,
  });
  const access = { roots: [temp.path], sourceHosts: [], transport: { send }, unseal: String };
  const steps = createDirectSteps(service, access, { pollDelayMs: 1_000 });
  const source = { kind: 'path', path: film, host: 'here' } as const;
  const request = {
    source,
    media: { fileType: 'MP4' },
    ingestKey: 'key-1',
    options: { partBytes: PART_BYTES },
  };
  const end = await runUpload(
    request,
    steps,
    directControl(service, steps, { onProgress: () => undefined }),
  ).catch((error: unknown) => error);
  expect(now).toBeLessThan(1_000_000 + 3 * DAY_MS);
  expect(requests).toBeLessThan(5_000);
  return end;
}

it(`an upload of which any answers are broken completes one session at most, in ${RUNS} stories`, async () => {
  let uploaded = 0;
  await fc.assert(
    fc.asyncProperty(breaks, async (broken) => {
      const model = new ModelService();
      const end = await upload(model, broken);
      const completed = model.sessions.filter(({ status }) => status === 'COMPLETED');
      expect(completed.length).toBeLessThanOrEqual(1);
      if (end instanceof MediaServiceError) expect(end.code).not.toBe('Internal');
      else {
        expect(end).toMatchObject({ uploadId: expect.any(String) });
        uploaded += 1;
      }
    }),
    { numRuns: RUNS },
  );
  // Most runs survive.
  expect(uploaded).toBeGreaterThan(RUNS / 2);
});
