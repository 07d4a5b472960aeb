import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MediaServiceError } from '../../api/errors';
import { searchMedia } from '../../api/media/media-search';
import { createService } from '../../api/service/create-service';
import type { Service } from '../../api/service/service';
import { systemClock } from '../../api/system-clock';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import type { UndiciTransport } from '../../api/transport/undici-transport';
import { createDirectSteps, directControl } from '../../api/upload/direct/direct-steps';
import { runUpload } from '../../api/upload/run-upload';
import { exportDeliveries } from '../../api/webhooks/delivery-export';
import { FAULTS } from '../../simulator/faults/faults';
import type { SimulatorOptions } from '../../simulator/options';
import type { Simulator } from '../../simulator/simulator';
import { SHAPE_GROUPS } from '../../simulator/shapes/shapes';
import { startSimulator } from '../../simulator/start-simulator';
import { isAsEver } from './shape-matrix';
import { writeSourceFile } from './source-file';
import { createTempDir } from './temp-dir';
import type { TempDir } from './temp-dir';

const PART_BYTES = 5 * 1024 * 1024;
/** An answer that takes longer counts as missing, ms. */
const SILENCE_MS = 500;
const RANGE = { from: '2000-01-01' };
/** Faults that would take too long by default. */
const ARMED: Readonly<Record<string, string>> = { 'processing-slow': 'processing-slow:1:ms=500' };

/** For each fault that is not simply survived: which call fails, and with which error. */
const FAILS: Readonly<Record<string, Partial<Record<'search' | 'export' | 'upload', string>>>> = {
  'answer-not-json': { search: 'UnreadableAnswer' },
  'endless-answer': { search: 'UnreadableAnswer' },
  'login-skew': { search: 'LoginRefused' },
  'processing-failed': { upload: 'ProcessingFailed' },
  'processing-stuck': { upload: 'ProcessingTimeout' },
  'put-403-signature': { upload: 'SignatureMismatch' },
  'put-404-NoSuchUpload': { upload: 'SessionGone' },
  'redirect-put': { upload: 'StorageRefused' },
  'login-400': { search: 'LoginRefused' },
  'login-401': { search: 'LoginRefused' },
  'login-403': { search: 'LoginRefused' },
  'login-404': { search: 'RequestRefused' },
  'login-html': { search: 'UnreadableAnswer' },
  'login-not-json': { search: 'UnreadableAnswer' },
  'login-empty': { search: 'UnreadableAnswer' },
  'redirect-login': { search: 'RequestRefused' },
  'search-400': { search: 'RequestRefused' },
  'search-403': { search: 'RequestRefused' },
  'search-404': { search: 'RequestRefused' },
  'search-html': { search: 'UnreadableAnswer' },
  'search-not-json': { search: 'UnreadableAnswer' },
  'search-empty': { search: 'UnreadableAnswer' },
  'redirect-search': { search: 'RequestRefused' },
  'webhooks-400': { export: 'RequestRefused' },
  'webhooks-403': { export: 'RequestRefused' },
  'webhooks-404': { export: 'RequestRefused' },
  'webhooks-html': { export: 'UnreadableAnswer' },
  'webhooks-not-json': { export: 'UnreadableAnswer' },
  'webhooks-empty': { export: 'UnreadableAnswer' },
  'redirect-webhooks': { export: 'RequestRefused' },
  'start-400': { upload: 'RequestRefused' },
  'start-403': { upload: 'RequestRefused' },
  'start-404': { upload: 'RequestRefused' },
  'redirect-start': { upload: 'RequestRefused' },
  'session-400': { upload: 'RequestRefused' },
  'session-403': { upload: 'RequestRefused' },
  'session-404': { upload: 'RequestRefused' },
  'redirect-session': { upload: 'RequestRefused' },
  'urls-400': { upload: 'RequestRefused' },
  'urls-403': { upload: 'RequestRefused' },
  'urls-404': { upload: 'RequestRefused' },
  'urls-html': { upload: 'UnreadableAnswer' },
  'urls-not-json': { upload: 'UnreadableAnswer' },
  'urls-empty': { upload: 'UnreadableAnswer' },
  'redirect-urls': { upload: 'RequestRefused' },
  'complete-400': { upload: 'RequestRefused' },
  'complete-403': { upload: 'RequestRefused' },
  'complete-404': { upload: 'RequestRefused' },
  'redirect-complete': { upload: 'RequestRefused' },
};

/** Real time, with pauses 50 times shorter. */
const hastyClock = {
  now: () => Date.now(),
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 50, signal),
};

function serviceOn(simulator: Simulator, { send }: UndiciTransport): Service {
  const { baseUrl, uploadUrl } = simulator;
  const timeouts = { connectMs: 5_000, headersMs: SILENCE_MS, bodyMs: SILENCE_MS };
  return createService({
    account: { baseUrl, uploadUrl, ...simulator.account },
    transport: { send: (request) => send({ ...request, timeouts }) },
    options: { additionalUrls: 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}' },
    clock: hastyClock,
  });
}

const reported = (run: Promise<unknown>): Promise<string | undefined> =>
  run.then(
    () => undefined,
    (error: unknown) => (error instanceof MediaServiceError ? error.code : String(error)),
  );

async function exported(service: Service): Promise<void> {
  let lines = 0;
  for await (const piece of exportDeliveries(service, RANGE, { format: 'jsonl' }))
    lines += piece.split('\n').length;
  expect(lines).toBeGreaterThan(0);
}

interface Film {
  readonly path: string;
  readonly sha256: string;
}

async function uploaded(service: Service, simulator: Simulator, film: Film): Promise<void> {
  const access = {
    roots: [dirname(film.path)],
    sourceHosts: [],
    transport: service.transport,
    unseal: String,
  };
  const steps = createDirectSteps(service, access, { pollDelayMs: 50 });
  const request = {
    source: { kind: 'path', path: film.path, host: 'here' },
    media: { title: 'A film', fileType: 'mp4' },
    ingestKey: 'key-1',
    options: {
      partBytes: PART_BYTES,
      stallMs: SILENCE_MS,
      minimumThroughput: 1_000_000,
      processingLimitMs: 2_000,
    },
  } as const;
  const control = directControl(service, steps, { onProgress: () => undefined });
  const { uploadId } = await runUpload(request, steps, control);
  const session = simulator.seen().sessions.find((one) => one.uploadId === uploadId);
  expect(session).toMatchObject({ status: 'COMPLETED', completesAccepted: 1 });
  expect(await simulator.objectSha256(session?.keyName ?? '')).toBe(film.sha256);
}

interface Cell {
  readonly fault: string;
  /** Shapes other than the default of their group. */
  readonly shapes: readonly string[];
}

/**
 * The shapes that answers have while the fault strikes: one of each group, in which a client learns the same. The
 * fault's name chooses them, so that another fault or group changes no other choice.
 */
function sampledShapes(fault: string): string[] {
  return SHAPE_GROUPS.flatMap((group) => {
    const names = group.map(({ name }) => name).filter(isAsEver);
    const choice = createHash('sha256')
      .update(`${fault} ${String(group[0]?.name)}`)
      .digest()
      .readUInt32BE();
    return names[choice % names.length] ?? [];
  }).filter((name) => !SHAPE_GROUPS.some(([first]) => first?.name === name));
}

/**
 * Runs a search, an export and an upload with each fault of the simulator, on the given storage. `shapes`: in the
 * default shapes of all answers, or in a sample of other ones.
 */
export function describeFaults(
  storageOf: () => Pick<SimulatorOptions, 'storage' | 's3'>,
  shapes: 'default' | 'sampled',
): void {
  const cells: readonly Cell[] = [...FAULTS.keys()].map((fault) => ({
    fault,
    shapes: shapes === 'default' ? [] : sampledShapes(fault),
  }));
  let temp: TempDir;
  let film: Film;
  beforeAll(async () => {
    temp = await createTempDir('faults');
    const file = join(temp.path, 'film.mp4');
    film = { path: file, sha256: await writeSourceFile(file, PART_BYTES + 1, 'film') };
  });
  afterAll(() => temp.remove());

  if (shapes === 'sampled')
    it('every shape in which a client learns the same is in the sample', () => {
      const sampled = new Set(cells.flatMap((cell) => cell.shapes));
      const others = SHAPE_GROUPS.flatMap((group) => group.slice(1).map(({ name }) => name));
      expect(others.filter((name) => isAsEver(name) && !sampled.has(name))).toEqual([]);
    });

  const named = cells.map((cell) => ({ ...cell, title: [cell.fault, ...cell.shapes].join(' ') }));
  describe('a search, an export and an upload that meet the fault, in the shapes', () => {
    it.each(named)('$title', async ({ fault, shapes: chosen }) => {
      const simulator = await startSimulator({
        ...storageOf(),
        processingMs: 20,
        initialUrls: 1,
        seed: { media: 3, deliveries: 3 },
        shapes: [...chosen],
        faults: [ARMED[fault] ?? fault],
      });
      const transport = createUndiciTransport();
      try {
        const service = serviceOn(simulator, transport);
        const ends = {
          search: await reported(searchMedia(service, {})),
          export: await reported(exported(service)),
          upload: await reported(uploaded(service, simulator, film)),
        };
        const { sessions, faults, bearerToStorage } = simulator.seen();
        expect(faults.struck).toEqual({ [fault]: 1 });
        expect(bearerToStorage).toEqual([]);
        expect(sessions.filter(({ status }) => status === 'COMPLETED').length).toBeLessThanOrEqual(1);
        expect(ends).toEqual({ search: undefined, export: undefined, upload: undefined, ...FAILS[fault] });
      } finally {
        simulator.release();
        await transport.close();
        await simulator.close();
      }
    });
  });
}
