import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { MediaServiceError } from '../../../../api/errors';
import { createService } from '../../../../api/service/create-service';
import type { HttpAnswer, HttpRequest } from '../../../../api/transport/transport';
import { sourcesOf } from '../../../../files/sources/read-source';
import { createDirectSteps, directControl } from '../../../../api/upload/engine/direct-steps';
import { runUpload } from '../../../../api/upload/engine/run-upload';
import { createTempDir } from '../../../support/temp-dir';
import type { TempDir } from '../../../support/temp-dir';
import { breaking } from './broken-answer';
import type { Breaking, BrokenAnswer, Json, ValidAnswer } from './broken-answer';

const RUNS = 100;
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
      return { json: { message: "It can't be completed." }, status: 400 };
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

function whole({ status, headers = {}, ...valid }: ValidAnswer): BrokenAnswer {
  return {
    status,
    headers,
    body: Buffer.from('text' in valid ? valid.text : JSON.stringify(valid.json)),
  };
}

/** A request as `METHOD path`, and the status that the client saw. */
interface Exchange {
  readonly request: string;
  readonly status: number;
  readonly broken: boolean;
}

interface Ended {
  readonly end: unknown;
  readonly exchanges: readonly Exchange[];
}

async function upload(model: ModelService, broken: ReadonlyMap<number, Breaking>): Promise<Ended> {
  let [now, underWay] = [1_000_000, 0];
  const exchanges: Exchange[] = [];
  let requests = 0;
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
      const answer = breakIt(await model.handle(request));
      exchanges.push({
        request: `${request.method} ${new URL(request.url).pathname}`,
        status: answer.status,
        broken: breakIt !== whole,
      });
      return answerOf(answer);
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
  const steps = createDirectSteps(service, sourcesOf(access));
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
  return { end, exchanges };
}

/**
 * Checks that no request that may have worked is repeated without a look at what it did. After a `start`, the next one
 * needs a search for the lost session, a part that was sent (then the session was known, and is gone), or a 429. After
 * a `complete`, the next one needs a read of the session.
 *
 * A broken login can prevent the search. Returns whether a `start` was repeated after no more than that.
 */
function checkNothingBlind(exchanges: readonly Exchange[]): { readonly unsearched: boolean } {
  let may: 'start' | 'start-unsearched' | undefined = 'start';
  let unsearched = false;
  const read = new Set<string>();
  for (const { request, status, broken } of exchanges) {
    const [method, , , uploadId = '', action] = request.split(/[ /]/);
    if (request === 'POST /upload/start') {
      expect(may).toBeDefined();
      unsearched ||= may === 'start-unsearched';
      may = status === 429 ? 'start' : undefined;
    } else if (action === 'complete') expect(read.delete(uploadId)).toBe(true);
    else if (request.startsWith('GET /upload/')) read.add(uploadId);
    else if (request === 'POST /api/login') may ??= broken ? 'start-unsearched' : undefined;
    else if (method === 'PUT' || request === 'POST /api/media/search') may = 'start';
  }
  return { unsearched };
}

it('an upload with broken answers completes one session at most and repeats nothing blindly', async () => {
  let uploaded = 0;
  await fc.assert(
    fc.asyncProperty(breaks, async (broken) => {
      const model = new ModelService();
      const { end, exchanges } = await upload(model, broken);
      const { unsearched } = checkNothingBlind(exchanges);
      const completed = model.sessions.filter(({ status }) => status === 'COMPLETED');
      expect(completed.length).toBeLessThanOrEqual(1);
      if (end instanceof MediaServiceError) expect(end.code).not.toBe('Internal');
      else {
        expect(end).toMatchObject({ uploadId: expect.any(String) });
        if (unsearched) expect(end).toMatchObject({ orphansVerifiable: false });
        uploaded += 1;
      }
    }),
    { numRuns: RUNS },
  );
  // Most runs survive.
  expect(uploaded).toBeGreaterThan(RUNS / 2);
});
