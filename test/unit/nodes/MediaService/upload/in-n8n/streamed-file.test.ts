import { createHash, randomBytes } from 'node:crypto';
import {
  PART_MEMORY_BYTES,
  StreamedFile,
  STREAMED_PART_BYTES,
} from '../../../../../../nodes/MediaService/upload/in-n8n/streamed-file';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../../../../api/options/upload-options';
import type { PartInput } from '../../../../../../api/upload/types';
import { planParts } from '../../../../../../api/upload/plan-parts';
import type { Part } from '../../../../../../api/upload/plan-parts';

const FILE = randomBytes(1_000_003);
const SIGNAL = new AbortController().signal;

interface Opened {
  readonly file: StreamedFile;
  /** How often the stream was opened, and how often it was closed before its end. */
  readonly seen: { opened: number; closed: number };
}

function opened(chunks: (bytes: Buffer) => Iterable<Uint8Array>, bytes = FILE, signal = SIGNAL): Opened {
  const seen = { opened: 0, closed: 0 };
  async function* stream(): AsyncGenerator<Uint8Array> {
    let isAtEnd = false;
    try {
      for (const chunk of chunks(bytes)) yield await Promise.resolve(chunk);
      isAtEnd = true;
    } finally {
      if (!isAtEnd) seen.closed += 1;
    }
  }
  const open = (): Promise<AsyncIterable<Uint8Array>> => {
    seen.opened += 1;
    return Promise.resolve(stream());
  };
  return { file: new StreamedFile('the binary field "data"', open, signal), seen };
}

function* sized(bytes: Buffer, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

const PART_BYTES = 300_000;
const PARTS: Part[] = Array.from({ length: Math.ceil(FILE.byteLength / PART_BYTES) }, (_, index) => ({
  partNumber: index + 1,
  offset: index * PART_BYTES,
  bytes: Math.min(PART_BYTES, FILE.byteLength - index * PART_BYTES),
}));
const inputOf = (part: Part, bytes = FILE.byteLength): PartInput<string> => ({
  ...part,
  uploadId: 'u',
  source: { source: { kind: 'http', url: '', label: '' }, bytes, fingerprint: '', fileName: 'a.mp4' },
  verifyMd5: false,
  stallMs: 1_000,
});
const contentOf = async (file: StreamedFile, { offset, bytes }: Part): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.reader.read(offset, bytes)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
};
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('a file that can only be read from its beginning', () => {
  test.each([
    ['one chunk, as from a database', (bytes: Buffer) => [bytes]],
    ['tiny chunks', (bytes: Buffer) => sized(bytes, 997)],
    ['chunks that end with the parts', (bytes: Buffer) => sized(bytes, PART_BYTES)],
    ['chunks larger than a part', (bytes: Buffer) => sized(bytes, 650_000)],
    [
      'empty chunks between them',
      (bytes: Buffer) => [...sized(bytes, 100_000)].flatMap((c) => [c, Buffer.alloc(0)]),
    ],
  ])('gives its parts byte for byte from %s, and each as often as it is asked', async (_what, chunks) => {
    const { file, seen } = opened(chunks);
    expect(Buffer.from(await file.head()).equals(FILE.subarray(0, 512))).toBe(true);
    file.beginSession();
    const sent = await Promise.all(
      PARTS.map((part) =>
        file.inMemory(inputOf(part), async () => {
          const first = await contentOf(file, part);
          expect((await contentOf(file, part)).equals(first)).toBe(true);
          return first;
        }),
      ),
    );
    expect(sha256(Buffer.concat(sent))).toBe(sha256(FILE));
    expect(seen).toEqual({ opened: 1, closed: 0 });
  });

  test('reads it again for a second session', async () => {
    const { file, seen } = opened((bytes) => sized(bytes, 5_000));
    const [first, second] = PARTS;
    if (first === undefined || second === undefined) throw new Error('no parts');
    file.beginSession();
    await file.inMemory(inputOf(first), () => Promise.resolve());
    file.beginSession();
    await file.inMemory(inputOf(first), async () => {
      expect((await contentOf(file, first)).equals(FILE.subarray(0, PART_BYTES))).toBe(true);
    });
    await file.inMemory(inputOf(second), () => Promise.resolve());
    expect(seen).toEqual({ opened: 2, closed: 1 });
  });

  test.each([
    ['ends too early', FILE.byteLength + 1, /ended after 1000003 bytes/],
    ['has more bytes than n8n says', FILE.byteLength - 1, /gave more than 1000002 bytes/],
  ])('fails if it %s, and so do the parts after it', async (_what, bytes, message) => {
    const { file } = opened((content) => sized(content, 10_000));
    file.beginSession();
    const parts = PARTS.map((part) => ({ ...part, bytes: Math.min(PART_BYTES, bytes - part.offset) }));
    const ends = await Promise.allSettled(
      parts.map((part) => file.inMemory(inputOf(part, bytes), () => Promise.resolve())),
    );
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(ends[3]).toMatchObject({ reason: { code: 'Transport', message: expect.stringMatching(message) } });
  });

  test('a part whose predecessor could not be read fails, and the next session begins again', async () => {
    let isBroken = true;
    const { file } = opened(function* (bytes) {
      yield* sized(bytes.subarray(0, 400_000), 10_000);
      if (isBroken) throw new Error('the disk is away');
      yield* sized(bytes.subarray(400_000), 10_000);
    });
    file.beginSession();
    const ends = await Promise.allSettled(
      PARTS.map((part) => file.inMemory(inputOf(part), () => Promise.resolve())),
    );
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    isBroken = false;
    file.beginSession();
    const again = await Promise.all(
      PARTS.map((part) => file.inMemory(inputOf(part), () => contentOf(file, part))),
    );
    expect(sha256(Buffer.concat(again))).toBe(sha256(FILE));
  });

  test('an end of the session, or of the execution, ends a read that waits', async () => {
    const waiting = (signal: AbortSignal): StreamedFile =>
      new StreamedFile(
        'x',
        () =>
          Promise.resolve({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }),
        signal,
      );
    const stop = new AbortController();
    const file = waiting(stop.signal);
    const [part] = PARTS;
    if (part === undefined) throw new Error('no parts');
    const end = file.beginSession();
    const ofSession = file.inMemory(inputOf(part), () => Promise.resolve());
    end();
    await expect(ofSession).rejects.toMatchObject({ name: 'AbortError' });
    file.beginSession();
    const ofExecution = file.inMemory(inputOf(part), () => Promise.resolve());
    stop.abort(new Error('the execution was canceled'));
    await expect(ofExecution).rejects.toThrow('the execution was canceled');
  });

  test('knows its size only if it is small', async () => {
    expect(await opened((bytes) => sized(bytes, 5_000)).file.sizeUpTo(FILE.byteLength)).toBe(FILE.byteLength);
    expect(await opened((bytes) => sized(bytes, 5_000)).file.sizeUpTo(FILE.byteLength - 1)).toBeUndefined();
  });

  test('its parts are as large as memory for four of them and the next one allows, unless 120 would not suffice', () => {
    const sizeOf = (bytes: number): number | undefined =>
      planParts({ bytes, partMemoryBytes: STREAMED_PART_BYTES })[0]?.bytes;
    const MIB = 1024 * 1024;
    expect(STREAMED_PART_BYTES * (DEFAULT_UPLOAD_OPTIONS.concurrency + 1)).toBe(PART_MEMORY_BYTES);
    expect([50e6, 500e6, 1e9, 3e9].map(sizeOf)).toEqual([16 * MIB, 20 * MIB, 20 * MIB, 24 * MIB]);
    expect(sizeOf(10e9)).toBe(80 * MIB);
  });
});
