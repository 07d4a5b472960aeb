import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { MediaServiceError } from '../../api/errors';
import { searchMedia } from '../../api/media/media-search';
import { retryingService } from '../../api/service/service';
import type { Service } from '../../api/service/service';
import type { UploadResult } from '../../api/upload/types';
import { exportDeliveries } from '../../api/webhooks/delivery-export';
import { FAULTS } from '../../simulator/faults/faults';
import type { SimulatorOptions } from '../../simulator/options';
import { SHAPE_GROUPS } from '../../simulator/shapes/shapes';
import { blindRepeats } from '../chaos/activity-table/blind-repeats';
import { openDirectFixture, PART_BYTES } from '../unit/api/upload/direct-fixture';
import type { DirectFixture } from '../unit/api/upload/direct-fixture';
import { testPool } from './pool';
import { isAsEver, isRefused, runsOn, settingsOf } from './shape-matrix';
import { writeSourceFile, type WrittenFile } from './source-file';
import { useTempDir } from './use-temp-dir';

/**
 * An answer that takes longer counts as missing, ms. A real server on a busy machine answers late: a part whose answer
 * counts as missing is sent again, and may replace the first one just while the file is assembled.
 */
const SILENCE_MS = { builtin: 500, s3: 4_000 };
const RANGE = { from: '2000-01-01' };
/** A run mostly waits, and more at once would make answers miss their limit. */
const AT_ONCE = 4;
/** `full` also runs every fault in every shape, as each night. */
const IS_FULL = process.env['MATRIX'] === 'full';
/** Chooses another sample. */
const SEED = Number(process.env['MATRIX_SEED'] ?? 20_261_125);
/** For example, `start-lost urls-` runs only these cells. */
const ONLY = new RegExp(process.env['CELLS'] ?? '');
/** Faults that would take too long by default. */
const ARMED: Readonly<Record<string, string>> = {
  'processing-slow': 'processing-slow:1:ms=500',
  'put-slow-line': 'put-slow-line:1:rate=20000000',
};

type Call = 'search' | 'export' | 'upload';

const UNREADABLE = { UnreadableAnswer: 'html not-json empty' };

/** For each fault that is not simply survived: which call fails, and with which error. */
const FAILS: Readonly<Record<string, Partial<Record<Call, string>>>> = {
  'endless-answer': { search: 'UnreadableAnswer' },
  'login-skew': { search: 'LoginRefused' },
  'processing-failed': { upload: 'ProcessingFailed' },
  'processing-stuck': { upload: 'ProcessingTimeout' },
  'put-403-signature': { upload: 'SignatureMismatch' },
  'put-404-NoSuchUpload': { upload: 'SessionGone' },
  'put-413-early': { upload: 'StorageRefused' },
  'put-redirect': { upload: 'StorageRefused' },
  ...failing('search', 'login', { LoginRefused: '400 401 403', RequestRefused: '404 redirect' }),
  ...failing('search', 'login', UNREADABLE),
  ...failing('search', 'search', { ...UNREADABLE, RequestRefused: '400 403 404 redirect' }),
  ...failing('export', 'webhooks', { ...UNREADABLE, RequestRefused: '400 403 404 redirect' }),
  ...failing('upload', 'start', { RequestRefused: '400 400-html 403 404 404-html 409 409-html redirect' }),
  ...failing('upload', 'session', { RequestRefused: '403 redirect' }),
  ...failing('upload', 'urls', { ...UNREADABLE, RequestRefused: '400 403 404 redirect' }),
  ...failing('upload', 'complete', { RequestRefused: '400 403 404 redirect' }),
};

/** The faults of an operation by the error with which the call fails. */
function failing(call: Call, operation: string, codes: Readonly<Record<string, string>>): typeof FAILS {
  const rows = Object.entries(codes).flatMap(([code, endings]) =>
    endings.split(' ').map((ending) => [`${operation}-${ending}`, { [call]: code }] as const),
  );
  return Object.fromEntries(rows);
}

/** The code of the error with which a call ends, if it does. */
const codeOf = (run: Promise<unknown>): Promise<string | undefined> =>
  run.then(
    () => undefined,
    (error: unknown) => (error instanceof MediaServiceError ? error.code : String(error)),
  );

async function exported(service: Service): Promise<void> {
  expect(await Array.fromAsync(exportDeliveries(service, RANGE, { format: 'jsonl' }))).not.toEqual([]);
}

type Storage = 'builtin' | 's3';
type StorageOptions = Pick<SimulatorOptions, 's3'>;

interface Films {
  /** Two parts, the last one short. */
  readonly parts: WrittenFile;
  /** One short part, which costs less. */
  readonly short: WrittenFile;
}

/** A fault of these meets several parts or the second URL. Everything else ends the same with one short part. */
const MEETS_PARTS: ReadonlySet<string> = new Set(['put', 'urls', 'complete', 'any']);

function filmFor(fault: string, { parts, short }: Films): WrittenFile {
  return MEETS_PARTS.has(FAULTS.get(fault)?.at ?? '') ? parts : short;
}

/** What a cell has, to upload its file. */
interface Stage {
  readonly fixture: DirectFixture;
  readonly film: WrittenFile;
  readonly silenceMs: number;
}

async function uploaded({ fixture, film, silenceMs }: Stage, title = 'A film'): Promise<UploadResult> {
  const { simulator } = fixture;
  const result = await fixture.upload({
    source: { kind: 'path', path: film.path, host: 'here' },
    media: { title, fileType: 'mp4' },
    ingestKey: title,
    options: { partBytes: PART_BYTES, stallMs: silenceMs, processingLimitMs: 2_000 },
  });
  const session = simulator.seen().sessions.find((one) => one.uploadId === result.uploadId);
  expect(session).toMatchObject({ status: 'COMPLETED', completesAccepted: 1, completesRefused: 0 });
  expect(await simulator.objectSha256(session?.keyName ?? '')).toBe(film.sha256);
  return result;
}

/** The fault in a search, if it can strike there. */
function inSearch(fault: string): string | undefined {
  const at = FAULTS.get(fault)?.at;
  if (at === 'search') return fault;
  return at === 'any' ? `${fault}:1:operation=search` : undefined;
}

/**
 * Uploads while the answer of `start` is lost, and the search for its session meets the fault. The upload is completed,
 * and names the lost session. If a search fails by this fault, it says instead that sessions may exist.
 */
async function reconciled(fault: string, stage: Stage): Promise<void> {
  const { simulator } = stage.fixture;
  const armed = inSearch(fault);
  if (armed === undefined) return;
  const before = simulator.seen().faults.struck[fault] ?? 0;
  simulator.fault('start-lost');
  simulator.fault(armed);
  const { orphans, orphansVerifiable } = await uploaded(stage, 'A lost film');
  const { sessions, faults } = simulator.seen();
  const isFound = FAILS[fault]?.search === undefined;
  expect({ orphans: orphans.length, orphansVerifiable }).toEqual({
    orphans: isFound ? 1 : 0,
    orphansVerifiable: isFound,
  });
  expect(sessions.filter(({ title }) => title === 'A lost film')).toHaveLength(2);
  expect(blindRepeats(simulator.events(), sessions)).toEqual([]);
  expect(faults).toEqual({ armed: [], struck: { [fault]: before + 1, 'start-lost': 1 } });
}

interface Cell {
  readonly fault: string;
  /** Shapes other than the default of their group. */
  readonly shapes: readonly string[];
}

const DEFAULTS: ReadonlySet<string | undefined> = new Set(SHAPE_GROUPS.map(([first]) => first?.name));
const OTHERS = SHAPE_GROUPS.flatMap((group) => group.slice(1).map(({ name }) => name));

/**
 * The shapes that answers have while the fault strikes: one of each group, in which a client learns the same. The seed
 * and the fault's name choose them, so that another fault or group changes no other choice.
 */
function sampledShapes(fault: string): string[] {
  return SHAPE_GROUPS.flatMap((group) => {
    const names = group.map(({ name }) => name).filter(isAsEver);
    const choice = hash('sha256', `${String(SEED)} ${fault} ${String(group[0]?.name)}`, 'buffer');
    return names[choice.readUInt32BE() % names.length] ?? [];
  }).filter((name) => !DEFAULTS.has(name));
}

/** All faults, or those that meet storage: on a real server all others would show the same again. */
function faultsOn(storage: Storage): string[] {
  return [...FAULTS.values()]
    .filter(({ at }) => storage === 'builtin' || at === 'put')
    .map(({ name }) => name);
}

/**
 * Each fault in the default shapes, in a sample of others, and, if asked for, in each other shape. A real server meets
 * the shapes of storage in the matrix of shapes, so it needs no sample.
 */
function chosenCells(storage: Storage): Cell[] {
  const shapes = IS_FULL ? OTHERS.filter((name) => runsOn(name, storage) && !isRefused(name)) : [];
  return faultsOn(storage).flatMap((fault): Cell[] => [
    { fault, shapes: [] },
    ...(storage === 's3' ? [] : [{ fault, shapes: sampledShapes(fault) }]),
    ...shapes.map((shape) => ({ fault, shapes: [shape] })),
  ]);
}

const titleOf = ({ fault, shapes }: Cell): string => [fault, ...shapes].join(' ');

/**
 * Runs a search, an export and an upload, with the fault and in the shapes of the cell. Faults of searches strike once
 * more, after a lost `start`.
 */
async function runCell({ fault, shapes }: Cell, storage: StorageOptions, films: Films): Promise<void> {
  const silenceMs = SILENCE_MS[storage.s3 === undefined ? 'builtin' : 's3'];
  const film = filmFor(fault, films);
  const fixture = await openDirectFixture({
    simulator: {
      ...storage,
      initialUrls: 1,
      shapes: [...shapes],
      faults: [ARMED[fault] ?? fault],
    },
    service: settingsOf(shapes),
    folder: dirname(film.path),
    silenceMs,
  });
  try {
    const service = retryingService(fixture.service);
    const stage = { fixture, film, silenceMs };
    const ends: Record<Call, unknown> = {
      search: await codeOf(searchMedia(service, {})),
      export: await codeOf(exported(service)),
      upload: await codeOf(uploaded(stage)),
    };
    const { sessions, faults, bearerToStorage } = fixture.simulator.seen();
    expect(ends).toEqual(FAILS[fault] ?? {});
    expect(faults.struck).toEqual({ [fault]: 1 });
    expect(bearerToStorage).toEqual([]);
    expect(sessions.filter(({ status }) => status === 'COMPLETED').length).toBeLessThanOrEqual(1);
    // In other shapes, the client may not be able to find the session.
    if (shapes.every(isAsEver)) await reconciled(fault, stage);
  } finally {
    fixture.simulator.release();
    await fixture.close();
  }
}

/**
 * Runs a search, an export and an upload with each fault that the storage can meet, in the default shapes of all
 * answers, and each night in each of the others.
 */
export function describeFaults(storageOf: () => StorageOptions, storage: Storage): void {
  const cells = chosenCells(storage).filter((cell) => ONLY.test(titleOf(cell)));
  const temp = useTempDir('faults');
  let films: Films;
  beforeAll(async () => {
    const film = async (name: string, bytes: number): Promise<WrittenFile> => {
      const path = join(temp.path, name);
      return { path, sha256: await writeSourceFile(path, bytes, name) };
    };
    films = { parts: await film('parts.mp4', PART_BYTES + 1), short: await film('short.mp4', 100_000) };
  });

  describe('a search, an export and an upload that meet the fault, in the shapes', () => {
    const run = (cell: Cell): Promise<void> => runCell(cell, storageOf(), films);
    const titled = cells.map((cell) => ({ ...cell, title: titleOf(cell) }));
    testPool('$title', titled, { atOnce: AT_ONCE, run });
  });
}

/** Only for all faults: those of storage alone are too few to meet each shape. */
export function describeSample(): void {
  it('every shape in which a client learns the same is in the sample', () => {
    const met = new Set([...FAULTS.keys()].flatMap(sampledShapes));
    expect([...met].sort()).toEqual(OTHERS.filter(isAsEver).sort());
  });
}
