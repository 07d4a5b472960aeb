import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { MediaServiceError } from '../../../../api/errors';
import { given } from '../../../../api/json';
import type { ByteLimiter } from '../../../../api/upload/part/admission';
import type { HttpAnswer, HttpRequest } from '../../../../api/transport/transport';
import { pinSource } from '../../../../files/sources/read-source';
import type { PartResult } from '../../../../api/upload/types';
import { sourceAccess } from '../../../../temporal/worker/activity-deps';
import { sealKeysOf } from '../../../../temporal/seal';
import { sealedUrl } from '../../../../temporal/sealed-url';
import { sendParts } from '../../../../temporal/upload/send-parts';
import type { SendPartsInput, SentParts } from '../../../../temporal/upload/types';
import { useTempDir } from '../../../support/use-temp-dir';
import { account, accountId, exampleDeps } from '../worker/example-deps';

const PARTS = 4;
const BYTES = 10;
const AT = 'https://storage.example';
const folder = useTempDir('send-parts');
let input: SendPartsInput;

beforeAll(async () => {
  const path = join(folder.path, 'film.mp4');
  await writeFile(path, 'x'.repeat(PARTS * BYTES));
  const source = await pinSource(
    sourceAccess(exampleDeps(undefined, { roots: [folder.path] }), accountId),
    { kind: 'path', path },
    new AbortController().signal,
  );
  const keys = sealKeysOf(account.secretKey);
  const urlOf = (partNumber: number) => sealedUrl(keys, 'u-1', { partNumber, url: `${AT}/${partNumber}` });
  input = {
    ...{ accountId, uploadId: 'u-1', source, verifyMd5: false, stallMs: 60_000 },
    parts: [1, 2, 3, 4].map((partNumber) => ({
      ...{ partNumber, offset: (partNumber - 1) * BYTES, bytes: BYTES, url: urlOf(partNumber) },
    })),
    atOnce: 2,
  };
});

/** How storage answers the PUT of each part. Default: 200. */
type Storage = Readonly<Record<number, (request: HttpRequest) => Promise<HttpAnswer>>>;

function answer(status: number, headers: Record<string, string> = {}): HttpAnswer {
  return { status, headers: { etag: '"e"', ...headers }, body: (async function* () {})() };
}

async function consumed({ body }: HttpRequest): Promise<void> {
  if (typeof body !== 'object') throw new Error('no stream');
  let bytes = 0;
  for await (const chunk of body.open()) bytes += chunk.length;
  expect(bytes).toBe(BYTES);
}

interface Tried {
  readonly sent: number[];
  readonly heartbeats: readonly SentParts[];
  readonly result?: readonly PartResult[];
  readonly error?: unknown;
}

type Deps = ReturnType<typeof exampleDeps>;

/** The same, with this admission before the worker's own, and bandwidth for its parts from this limiter. */
function limitedBy({ admit, byteLimiter }: Try, deps: Deps): Deps {
  const { partAdmissions } = deps;
  const of: Deps['partAdmissions']['of'] = (sender) => ({
    enter: async (...part) => {
      await admit?.();
      return { ...(await partAdmissions.of(sender).enter(...part)), ...given({ byteLimiter }) };
    },
  });
  return { ...deps, partAdmissions: { ...partAdmissions, of } };
}

interface Try {
  readonly kept?: SentParts | undefined;
  readonly byteLimiter?: ByteLimiter;
  /** Called before each part. */
  admit?(): Promise<void>;
  onHeartbeat?(count: number): void;
}

/** One try of the activity. */
async function tryOnce(
  storage: Storage = {},
  { kept, onHeartbeat = () => undefined, ...limits }: Try = {},
): Promise<Tried> {
  const sent: number[] = [];
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    const part = Number(new URL(request.url).pathname.slice(1));
    sent.push(part);
    await consumed(request);
    return storage[part]?.(request) ?? answer(200);
  };
  const env = new MockActivityEnvironment({ heartbeatTimeoutMs: 400, heartbeatDetails: kept });
  const heartbeats: SentParts[] = [];
  env.on('heartbeat', (details: SentParts) => {
    heartbeats.push(details);
    onHeartbeat(heartbeats.length);
  });
  const activity = sendParts(limitedBy(limits, exampleDeps({ send }, { roots: [folder.path] })));
  try {
    return { sent, heartbeats, result: await env.run(activity, input) };
  } catch (error) {
    return { sent, heartbeats, error };
  }
}

const numbers = (results: readonly PartResult[] = []): number[] =>
  results.map(({ partNumber }) => partNumber).sort();

it('sends all parts of its run', async () => {
  const { sent, result } = await tryOnce();
  expect([...sent.sort(), ...numbers(result)]).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
});

it('ends when a part fails, after those under way; the next try sends only the rest, and counts on', async () => {
  let failed = (): void => undefined;
  const afterFailure = new Promise<void>((resolve) => (failed = resolve));
  const first = await tryOnce({
    1: async () => afterFailure.then(() => answer(200)),
    2: async () => {
      setImmediate(failed);
      return answer(503);
    },
  });
  expect(first.error).toMatchObject({ type: 'StorageBusy', nonRetryable: false, nextRetryDelay: 1_000 });
  // If no other try follows, the next run of the upload reads what was sent.
  expect(first.error).toMatchObject({ details: [{}, [{ partNumber: 1, eTag: 'e' }]] });
  expect(first.sent).toEqual([1, 2]);
  const kept = first.heartbeats.at(-1);
  expect(kept).toMatchObject({ tries: [[2, 1]], bytes: BYTES });
  expect(numbers(kept?.done)).toEqual([1]);
  const second = await tryOnce({}, { kept });
  expect(second.sent.sort()).toEqual([2, 3, 4]);
  const attempts = second.result?.map((part) => `${part.partNumber}: ${part.attempts}`).sort();
  expect(attempts).toEqual(['1: 1', '2: 2', '3: 1', '4: 1']);
});

it('waits as long as storage asks for, or longer with each try of the part that failed', async () => {
  const busy = (headers: Record<string, string>): Storage => ({ 1: async () => answer(503, headers) });
  const asked = await tryOnce(busy({ 'retry-after': '7' }));
  expect(asked.error).toMatchObject({ nextRetryDelay: 7_000 });
  const again = await tryOnce(busy({}), { kept: { done: [], tries: [[1, 3]], urls: [], bytes: 0 } });
  expect(again.error).toMatchObject({ nextRetryDelay: 8_000 });
});

it('aborts the parts under way when one can never be sent', async () => {
  let wait = (): void => undefined;
  const waits = new Promise<void>((resolve) => (wait = resolve));
  const { error, sent } = await tryOnce({
    1: ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        wait();
      }),
    2: async () => waits.then(() => answer(400)),
  });
  expect(error).toMatchObject({ type: 'StorageRefused', nonRetryable: true });
  expect(sent).toEqual([1, 2]);
});

it('sends heartbeats while all its parts wait for bandwidth, and each part is sent once', async () => {
  let grant = (): void => undefined;
  const granted = new Promise<void>((resolve) => (grant = resolve));
  const byteLimiter = { sliceBytes: () => BYTES, take: () => granted };
  const onHeartbeat = (count: number): void => {
    if (count === 5) grant();
  };
  const { result, sent } = await tryOnce({}, { byteLimiter, onHeartbeat });
  expect(sent.sort()).toEqual([1, 2, 3, 4]);
  expect(result?.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
});

const crowdedOut = new MediaServiceError('WorkerBusy', 'too many wait', { outcome: 'unsent' });

it('sends a part later that was crowded out while another one was under way', async () => {
  let refused = (): void => undefined;
  const afterRefusal = new Promise<void>((resolve) => (refused = resolve));
  let asked = 0;
  const { sent, result, error } = await tryOnce(
    { 1: async () => afterRefusal.then(() => answer(200)) },
    {
      async admit() {
        asked += 1;
        if (asked !== 2) return;
        setImmediate(refused);
        throw crowdedOut;
      },
    },
  );
  expect(error).toBeUndefined();
  expect(sent).toEqual([1, 2, 3, 4]);
  expect(result?.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
});

it('ends the try, to be repeated, when all its parts are crowded out', async () => {
  const { sent, error } = await tryOnce({}, { admit: () => Promise.reject(crowdedOut) });
  expect(error).toMatchObject({ type: 'WorkerBusy', nonRetryable: false });
  expect(sent).toEqual([]);
});

it('sends a part to the address that an earlier try got for it', async () => {
  const url = sealedUrl(sealKeysOf(account.secretKey), 'u-1', { partNumber: 1, url: `${AT}/1?newer` });
  const urls: string[] = [];
  const note = async (request: HttpRequest): Promise<HttpAnswer> => {
    urls.push(request.url);
    return answer(200);
  };
  await tryOnce({ 1: note, 2: note }, { kept: { done: [], tries: [], urls: [url], bytes: 0 } });
  expect(urls.sort()).toEqual([`${AT}/1?newer`, `${AT}/2`]);
});
