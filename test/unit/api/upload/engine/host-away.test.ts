import { createDirectSteps, directControl } from '../../../../../api/upload/engine/direct-steps';
import type { DirectHooks, DirectSteps } from '../../../../../api/upload/engine/direct-steps';
import type { UploadSources } from '../../../../../api/upload/sources/source';
import type { UploadResult } from '../../../../../api/upload/types';
import { runUpload } from '../../../../../api/upload/engine/run-upload';
import { failureOf } from '../failure-of';
import { requestOf } from '../fake-steps';
import { LOST, scriptedService, UNSENT } from '../scripted-service';
import type { Script } from '../scripted-service';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = 'POST /upload/start';
const COMPLETE = 'POST /upload/u-1/complete';
const SENT = { eTag: 'etag', verified: true, attempts: 1, ms: 1 };
const NOTHING_FOUND = { status: 200, body: { content: [], totalElements: 0 } };
const SOURCES: UploadSources = {
  transport: { send: () => Promise.reject(new Error('Nothing goes to storage.')) },
  pin: async (source) => ({ source, bytes: 6, fingerprint: 'f', fileName: 'film.mp4' }),
  open: () => ({ read: async function* () {} }),
  release: async () => undefined,
};

interface Outage {
  /** What the upload host shows for `forMs` ms. */
  readonly shows: ReturnType<Script>;
  /** What it shows after its first answer. Unset: the same. */
  readonly thenShows?: ReturnType<Script>;
  readonly forMs: number;
  readonly hooks?: DirectHooks;
}

type ScriptedService = ReturnType<typeof scriptedService>;

/** One upload that begins together with an outage. Time passes only in waits. */
function beginInOutage({ shows, thenShows = shows, forMs, hooks = {} }: Outage): {
  readonly upload: Promise<UploadResult>;
  readonly scripted: ScriptedService;
  elapsedMs(): number;
} {
  const scripted: ScriptedService = scriptedService((call) => {
    if (call.includes('/upload/') && elapsedMs() < forMs)
      return scripted.calls.filter((one) => one.includes('/upload/')).length > 1 ? thenShows : shows;
    if (call === START) {
      const presignedUrls = ['https://storage.example.com/key?partNumber=1'];
      return { status: 201, body: { uploadId: 'u-1', mediaId: 'm-1', presignedUrls } };
    }
    if (call === COMPLETE) return { status: 202 };
    if (call !== 'GET /upload/u-1') return call.startsWith('GET /upload/') ? { status: 404 } : NOTHING_FOUND;
    return { status: 200, body: { status: scripted.calls.includes(COMPLETE) ? 'COMPLETED' : 'PARTIAL' } };
  });
  const service = scripted.service.once;
  const begunAt = service.clock.now();
  const elapsedMs = (): number => service.clock.now() - begunAt;
  const steps: DirectSteps = {
    ...createDirectSteps(service, SOURCES, hooks),
    sendPart: async ({ partNumber, bytes }) => ({ ...SENT, partNumber, bytes }),
  };
  const control = directControl(service, steps, { ...hooks, onProgress: () => undefined });
  return { upload: runUpload(requestOf(), steps, control), scripted, elapsedMs };
}

function starts({ calls }: ScriptedService): number {
  return calls.filter((call) => call === START).length;
}

it('an upload that begins during an outage of an hour succeeds behind a gateway that answers 502, with at most one extra session', async () => {
  const reported: string[] = [];
  const { upload, scripted } = beginInOutage({
    shows: { status: 502 },
    forMs: HOUR_MS,
    hooks: { retryForMs: DAY_MS, onStepRetry: ({ message }) => reported.push(message) },
  });
  expect(await upload).toMatchObject({ status: 'COMPLETED', orphans: [], orphansVerifiable: true });
  expect(starts(scripted)).toBe(2);
  const [, ...between] = scripted.calls.slice(0, scripted.calls.lastIndexOf(START));
  const searched = between.findIndex((call) => !call.startsWith('GET /upload/'));
  // First it checks whether the host answers at all, then whether a session was made.
  expect(searched).toBeGreaterThan(0);
  expect(between.slice(searched).every((call) => !call.startsWith('GET /upload/'))).toBe(true);
  expect(reported[0]).toContain('upload start failed (502)');
  expect(reported.at(-1)).toContain('upload host failed (502)');
});

describe('an upload in this process that begins during an outage', () => {
  const BAD = { status: 502 };
  it.each([
    ['a gateway answers 502', BAD, BAD, 14 * MINUTE_MS, 20 * MINUTE_MS, 'StartAmbiguous'],
    ['every further answer is lost', BAD, LOST, 14 * MINUTE_MS, 20 * MINUTE_MS, 'StartAmbiguous'],
    ['the host is never reached', UNSENT, UNSENT, 14_000, MINUTE_MS, 'Transport'],
  ] as const)('of an hour, in which %s, ends when the retries of its steps end', async (...outage) => {
    const [, shows, thenShows, leastMs, mostMs, code] = outage;
    const { upload, scripted, elapsedMs } = beginInOutage({ shows, thenShows, forMs: HOUR_MS });
    expect((await failureOf(upload)).code).toBe(code);
    expect(elapsedMs()).toBeGreaterThan(leastMs);
    expect(elapsedMs()).toBeLessThanOrEqual(mostMs);
    expect(starts(scripted)).toBe(1);
  });

  it.each([
    ['unreachable after its first answer', UNSENT],
    ['as at first', BAD],
  ] as const)('of ten minutes, succeeds if the host is %s', async (_what, thenShows) => {
    const { upload } = beginInOutage({ shows: BAD, thenShows, forMs: 10 * MINUTE_MS });
    expect((await upload).status).toBe('COMPLETED');
  });
});
