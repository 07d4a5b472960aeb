import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Clock } from '../../../../../api/clock';
import type { RequestStream, Transport } from '../../../../../api/transport/transport';
import { requestPart } from '../../../../../api/upload/part/part-request';
import type { PartRequestResult } from '../../../../../api/upload/part/part-request';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../../../api/options/upload-options';

const MIB = 1024 * 1024;

/** A clock that moves only while the line carries bytes. */
function lineClock(): Clock & { carry(ms: number): Promise<void> } {
  const sleepers: { at: number; wake: () => void }[] = [];
  let now = 0;
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        sleepers.push({ at: now + ms, wake: resolve });
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    async carry(ms) {
      const end = now + ms;
      for (let due = true; due;) {
        sleepers.sort((one, other) => one.at - other.at);
        due = (sleepers[0]?.at ?? Infinity) <= end;
        now = due ? (sleepers[0]?.at ?? end) : end;
        if (due) sleepers.shift()?.wake();
        await turn();
      }
    },
  };
}

/** Sends 3 MiB with all limits at their defaults, from a source of chunks of 1 MiB, as files are read. */
function sent(bytesPerSecond: number): Promise<PartRequestResult> {
  const clock = lineClock();
  const transport: Transport = {
    async send({ body, signal }) {
      for await (const piece of (body as RequestStream).open()) {
        await clock.carry((piece.byteLength / bytesPerSecond) * 1000);
        signal?.throwIfAborted();
      }
      return { status: 200, headers: { etag: 'any' }, body: (async function* () {})() };
    },
  };
  const reader = {
    async *read() {
      for (let at = 0; at < 3; at += 1) yield Buffer.alloc(MIB);
    },
  };
  const { stallMs } = DEFAULT_UPLOAD_OPTIONS;
  const url = 'https://s3.example.com/k';
  const part = {
    partNumber: 1,
    offset: 0,
    bytes: 3 * MIB,
    url,
    verifyMd5: false,
    stallMs,
  };
  const hooks = { onBytes: () => undefined, signal: new AbortController().signal };
  return requestPart({ transport, reader, clock }, part, hooks);
}

it.each([50_000, 25_000])(
  'a steady line of %d bytes a second finishes a part within the default limits',
  async (rate) => {
    const ms = expect.closeTo(((3 * MIB) / rate) * 1000);
    expect(await sent(rate)).toMatchObject({ bytes: 3 * MIB, ms });
  },
);
