import { setImmediate as turn } from 'node:timers/promises';
import type { RequestStream, Transport } from '../../../../../api/transport/transport';
import type { ByteLimiter } from '../../../../../api/upload/part/admission';
import { requestPart } from '../../../../../api/upload/part/part-request';
import type { PartRequestResult } from '../../../../../api/upload/part/part-request';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../../../api/options/upload-options';

const BYTES = 3 * 1024 * 1024;

interface Line {
  readonly carryMs?: (bytes: number) => number;
  /** For each take of bandwidth. */
  readonly holdMs?: number;
  /** From the last byte to storage's answer. Unset: the transport stops at the last byte. */
  readonly answerMs?: number;
}

/**
 * Sends 3 MiB with all limits at their defaults. Time passes only while the line carries bytes, or the limiter holds
 * them back, and whoever sleeps looks after each piece.
 */
function sent({ carryMs = () => 0, holdMs, answerMs }: Line): Promise<PartRequestResult> {
  let now = 0;
  const clock = { now: () => now, sleep: () => turn() };
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    for (let looks = 0; looks < 3; looks += 1) await turn();
  };
  const transport: Transport = {
    async send({ body, signal }) {
      const pieces = (body as RequestStream).open()[Symbol.asyncIterator]();
      for (let bytes = 0; bytes < BYTES;) {
        const { value } = (await pieces.next()) as IteratorYieldResult<Uint8Array>;
        bytes += value.byteLength;
        await pass(carryMs(value.byteLength));
        signal?.throwIfAborted();
      }
      if (answerMs !== undefined) {
        await pieces.next();
        await pass(0);
        await pass(answerMs);
        signal?.throwIfAborted();
      }
      return { status: 200, headers: { etag: 'any' }, body: (async function* () {})() };
    },
  };
  // As files are read.
  const reader = {
    async *read() {
      for (let at = 0; at < 3; at += 1) yield Buffer.alloc(BYTES / 3);
    },
  };
  const { stallMs } = DEFAULT_UPLOAD_OPTIONS;
  const part = { partNumber: 1, offset: 0, bytes: BYTES, url: 'https://s3.example.com/k', stallMs };
  const limiter: ByteLimiter = { sliceBytes: () => 64 * 1024, take: () => pass(holdMs ?? 0) };
  const deps = { transport, reader, clock, ...(holdMs !== undefined && { byteLimiter: limiter }) };
  const { signal } = new AbortController();
  return requestPart(deps, { ...part, verifyMd5: false }, { signal });
}

it.each([50_000, 25_000])('a steady line of %d bytes a second keeps all limits', async (bytesPerSecond) => {
  const ms = expect.closeTo((BYTES / bytesPerSecond) * 1000);
  const carryMs = (bytes: number): number => (bytes / bytesPerSecond) * 1000;
  expect(await sent({ carryMs })).toMatchObject({ bytes: BYTES, ms });
});

it.each([
  ['bandwidth', { holdMs: 3_600_000 }, 48],
  ["storage's answer", { answerMs: 3_600_000 }, 1],
])('a part that waits for %s has not stalled, however long that takes', async (_what, line, hours) => {
  expect(await sent(line)).toMatchObject({ bytes: BYTES, ms: hours * 3_600_000 });
});
