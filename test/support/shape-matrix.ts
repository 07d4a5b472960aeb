import type { ServiceOptions } from '../../api/account';
import { MediaServiceError } from '../../api/errors';
import { eachMedia, searchMedia } from '../../api/media/media-search';
import { readSession } from '../../api/upload/protocol/session';
import { exportDeliveries } from '../../api/webhooks/delivery-export';
import { eachDelivery } from '../../api/webhooks/delivery-search';
import type { Service } from '../../api/service/service';
import type { SimulatorOptions } from '../../simulator/options';
import { SHAPE_GROUPS, SHAPES } from '../../simulator/shapes/shapes';
import { openDirectFixture, PART_BYTES } from '../unit/api/upload/direct-fixture';
import type { DirectFixture } from '../unit/api/upload/direct-fixture';
import { testPool } from './pool';

const RANGE = { from: '2000-01-01' };
/** Three pages, the last one short. */
const RECORDS = 25;
const PAGE = 10;
/** A run mostly waits. */
const AT_ONCE = 6;

/** What a client learns in any shape. */
const SAME = {
  /** Media of a search over all pages, each once and in order. */
  media: RECORDS,
  deliveries: RECORDS,
  /** Deliveries of the last millisecond of a range, and of the first one after it. */
  atEnd: [1, 0],
  /** Number of records in the exports. */
  csv: RECORDS,
  jsonl: RECORDS,
  /** Whether the error of a refusal has the service's reason. */
  reason: true,
  unknownUpload: 'RequestRefused 400',
  /** Or how an upload is refused. */
  upload: 'identical',
  /** Found sessions of a lost `start`, and whether others may have been missed. */
  orphans: 1,
  verifiable: true,
};

/** `parts`: those that the session lists. */
type Known = Readonly<typeof SAME> & { readonly parts: number };

interface Different {
  /** Settings that the shape needs. */
  readonly service?: ServiceOptions;
  /** What differs from the usual result. */
  readonly known?: Partial<Known>;
  /** True: only the built-in storage can sign like this. */
  readonly builtinOnly?: true;
}

/** The shapes that are not as ever: a client needs a setting, learns something else, or can't meet them on S3. */
const DIFFERENT: Readonly<Record<string, Different>> = {
  // A client that sees no tags can't distinguish an orphan from other media.
  'tags-hidden': { known: { orphans: 0, verifiable: false } },
  'sort-space': { service: { sortSeparator: ' ' } },
  // The client's end is the last millisecond of the range, which is then left out.
  'webhooks-to-exclusive': { known: { atEnd: [0, 0] } },
  'urls-sign-content-type': { builtinOnly: true },
  'urls-sign-acl': { builtinOnly: true, known: refusedAs('SignatureMismatch 403') },
  'urls-fix-checksum': { builtinOnly: true, known: refusedAs('StorageRefused 400') },
  'parts-hidden': { known: { parts: 0 } },
  // The client has no setting for it, so it can't send metadata there. No session is made.
  'metadata-in-media': { known: refusedAs('RequestRefused 400') },
  'complete-capitals': {
    service: { completeBody: '{"parts":[{"PartNumber":{partNumber},"ETag":{eTag}}]}' },
  },
  'complete-wrapped': { service: { completeBody: '{"payload":{"parts":{parts}}}' } },
  'parts-from-5-mb': { builtinOnly: true },
  'unknown-upload-404': { known: { unknownUpload: 'RequestRefused 404' } },
  'error-empty': { known: { reason: false } },
};

function refusedAs(upload: string): Partial<Known> {
  return { upload, orphans: 0, parts: 0 };
}

/** Whether a client needs no setting for the shape, and learns the same in it, on any storage. */
export function isAsEver(shape: string): boolean {
  return DIFFERENT[shape] === undefined;
}

/** Whether the shape refuses each upload. Then a fault of another moment shows nothing of it. */
export function isRefused(shape: string): boolean {
  return DIFFERENT[shape]?.known?.upload !== undefined;
}

/** Settings that a client needs for the shapes. */
export function settingsOf(shapes: readonly string[]): ServiceOptions {
  return Object.assign({}, ...shapes.map((shape) => DIFFERENT[shape]?.service ?? {})) as ServiceOptions;
}

type Storage = 'builtin' | 's3';

export function runsOn(shape: string, storage: Storage): boolean {
  return storage === 'builtin' || DIFFERENT[shape]?.builtinOnly !== true;
}

/** The first word of shapes of what goes to storage and comes from it. */
const OF_STORAGE: ReadonlySet<string | undefined> = new Set(['urls', 'part', 'parts', 'complete', 'file']);

/** Whether a file in the shape has several parts. Without them the shapes of anything else show the same. */
const meetsParts = (shape: string): boolean => OF_STORAGE.has(shape.split('-')[0]);

/** All shapes, or those of storage: on a real server all others would show the same again. */
function shapesOn(storage: Storage): string[] {
  return [...SHAPES.keys()].filter(
    (name) => storage === 'builtin' || (meetsParts(name) && runsOn(name, storage)),
  );
}

export function describeExpectations(): void {
  it('every shape that is not as ever exists', () => {
    expect(Object.keys(DIFFERENT).filter((name) => !SHAPES.has(name))).toEqual([]);
  });

  it('every group that begins with a word of storage is of storage as a whole', () => {
    for (const group of SHAPE_GROUPS) expect(new Set(group.map(({ name }) => meetsParts(name))).size).toBe(1);
  });
}

/** Runs the whole client with every answer shape that the storage can meet. */
export function describeShapes(storageOf: () => Pick<SimulatorOptions, 's3'>, storage: Storage): void {
  describe('searches, exports, refusals and an upload with a lost first start, with answers in the shape', () => {
    const run = async ({ name }: { readonly name: string }): Promise<void> => {
      const parts = meetsParts(name) ? 2 : 1;
      expect(await knownIn(name, storageOf())).toEqual({ ...SAME, parts, ...DIFFERENT[name]?.known });
    };
    const cells = shapesOn(storage).map((name) => ({ name }));
    testPool('$name', cells, { atOnce: AT_ONCE, run });
  });
}

async function knownIn(shape: string, storage: Pick<SimulatorOptions, 's3'>): Promise<Known> {
  const { service = {} } = DIFFERENT[shape] ?? {};
  const fixture = await openDirectFixture({
    simulator: {
      ...storage,
      shapes: [shape],
      initialUrls: 1,
      seed: { media: RECORDS, deliveries: RECORDS },
    },
    service,
  });
  try {
    return {
      ...(await readAll(fixture.service, shape === 'media-fields-other' ? 'name' : 'title')),
      atEnd: await foundAtEnd(fixture),
      reason: await hasReason(fixture),
      unknownUpload: await refusalOf(readSession(fixture.service, 'no-such-upload')),
      ...(await uploaded(fixture, meetsParts(shape) ? PART_BYTES + 1 : 100_000)),
    };
  } finally {
    await fixture.close();
  }
}

async function readAll(
  service: Service,
  titleField: string,
): Promise<Pick<Known, 'media' | 'deliveries' | 'csv' | 'jsonl'>> {
  const sort = ['title,ASC,ignorecase'];
  const media = await Array.fromAsync(eachMedia(service, {}, { size: PAGE, sort }));
  const titles = media.map(({ [titleField]: title }) =>
    typeof title === 'string' ? title.toLowerCase() : '',
  );
  expect(distinct(titles)).toBeGreaterThan(1);
  expect(titles).toEqual([...titles].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0)));
  const deliveries = await Array.fromAsync(eachDelivery(service, RANGE, { size: PAGE }));
  const csv = (await Array.fromAsync(exportDeliveries(service, RANGE, { format: 'csv', size: PAGE }))).join(
    '',
  );
  const jsonl = (
    await Array.fromAsync(exportDeliveries(service, RANGE, { format: 'jsonl', size: PAGE }))
  ).join('');
  return {
    // As text, since the name of the ID field is a shape too.
    media: distinct(media.map((item) => JSON.stringify(item))),
    deliveries: distinct(deliveries.map(({ id }) => id)),
    csv: recordsOf(csv),
    jsonl: distinct(jsonl.trimEnd().split('\n')),
  };
}

async function foundAtEnd({ simulator, service }: DirectFixture): Promise<[number, number]> {
  simulator.addDelivery({ sentAt: '2001-01-01T00:00:00.000Z' });
  const foundUntil = async (to: string): Promise<number> =>
    (await Array.fromAsync(eachDelivery(service, { ...RANGE, to }))).length;
  return [await foundUntil('2001-01-01T00:00:00.001Z'), await foundUntil('2001-01-01T00:00:00.000Z')];
}

function distinct(values: readonly unknown[]): number {
  return new Set(values).size;
}

/** By the beginning of each record, since a shape has quotes that no parser takes. */
function recordsOf(csv: string): number {
  return distinct([...csv.matchAll(/^\uFEFF?([^",\r\n]+),media\.\w+,/gm)].map(([, id]) => id));
}

async function hasReason({ simulator, service }: DirectFixture): Promise<boolean> {
  simulator.fault('search-400');
  const error: unknown = await searchMedia(service, {}).catch((reason: unknown) => reason);
  if (!(error instanceof MediaServiceError)) throw new Error('The search was not refused.', { cause: error });
  return error.facts.serviceMessage?.includes('Bad Request') === true;
}

const NOT_REFUSED = 'it was not refused';

async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  return error instanceof MediaServiceError ? [error.code, error.facts.status].join(' ').trim() : NOT_REFUSED;
}

async function uploaded(
  fixture: DirectFixture,
  bytes: number,
): Promise<Pick<Known, 'upload' | 'orphans' | 'verifiable' | 'parts'>> {
  const { simulator, service } = fixture;
  const { path, sha256 } = await fixture.writeFile('film.mp4', bytes);
  simulator.fault('start-lost');
  const options = { partBytes: PART_BYTES, startPauseMs: 50 };
  const request = fixture.request(path, { metadata: { order: { id: 7 } }, options });
  const uploading = fixture.upload(request);
  const refusal = await refusalOf(uploading);
  if (refusal !== NOT_REFUSED) return { upload: refusal, orphans: 0, verifiable: true, parts: 0 };
  const { uploadId, orphans, orphansVerifiable: verifiable, fileUrl } = await uploading;
  const session = simulator.seen().sessions.find((one) => one.uploadId === uploadId);
  expect(session).toMatchObject({ status: 'COMPLETED', completesAccepted: 1, completesRefused: 0 });
  expect(await simulator.objectSha256(session?.keyName ?? '')).toBe(sha256);
  expect(fileUrl).toMatch(/^http[^?]+\.mp4$/);
  const { parts } = await readSession(service, uploadId);
  const eTags = session?.parts.map(({ eTag }) => eTag) ?? [];
  if (parts.length > 0) expect(parts.map(({ eTag }) => eTag)).toEqual(eTags);
  return { upload: 'identical', orphans: orphans.length, verifiable, parts: parts.length };
}
