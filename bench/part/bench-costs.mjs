// `node bench/part/bench-costs.mjs`: what the part path costs besides the bytes, in processor time, without a network.
// Its last column is for one GiB in 16 parts.
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { ensureBuilt } from '../../tools/build.mjs';
import { ensureInstalled } from '../../tools/install.mjs';

const PARTS = 16;
const PART_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const PAGE_BYTES = 4096;
const TRIES = 500;
await ensureInstalled();
await ensureBuilt();

const load = createRequire(import.meta.url);
const usedMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const rows = [];
async function measure(what, { times, perGib }, run) {
  // Warms up what runs many times.
  for (let count = 1; count < Math.min(times, 200); count++) await run();
  const before = usedMs();
  for (let count = 0; count < times; count++) await run();
  const ms = (usedMs() - before) / times;
  rows.push(`| ${what} | ${ms.toFixed(2)} | ${(ms * perGib).toFixed(0)} |`);
}

const once = { times: 1, perGib: 1 };
const atParts = { times: TRIES, perGib: PARTS };
await measure('load undici', once, () => load('undici'));
const modules = {};
await measure('load our modules', once, () => {
  Object.assign(modules, load('../../packages/media-service/dist/api/upload/part/part-request.js'));
  Object.assign(modules, load('../../packages/media-service/dist/files/sources/read-source.js'));
  Object.assign(modules, load('../../packages/media-service/dist/api/transport/undici-transport.js'));
  Object.assign(
    modules,
    load('../../packages/media-service/dist/api/md5/md5-engine.js'),
    load('../../packages/media-service/dist/api/clock.js'),
  );
});
const { md5Engine, openSource, pinSource, requestPart, systemClock: clock } = modules;

const dir = await mkdtemp(path.join(os.tmpdir(), 'bench-costs-'));
try {
  const file = path.join(dir, 'file.bin');
  await writeFile(file, 'x');
  const access = { roots: [dir], sourceHosts: [], transport: {}, unseal: String };
  const reader = openSource(access, await pinSource(access, { kind: 'path', path: file }));
  await measure('open, read and close the file, each part', atParts, async () => {
    const handle = await open(file);
    await handle.read(Buffer.alloc(1), 0, 1, 0);
    await handle.close();
  });
  await measure('the same with the checks of its path and content', atParts, async () => {
    for await (const chunk of reader.read(0, 1)) chunk.at(0);
  });
  await measure('a whole part of one byte, without MD5 and network', atParts, () => put(reader, 1));
  const whole = path.join(dir, 'part.bin');
  await writeFile(whole, Buffer.alloc(PART_BYTES, 7));
  const allocated = Buffer.allocUnsafeSlow(CHUNK_BYTES + PAGE_BYTES);
  for (const shift of [0, 48]) {
    const buffer = allocated.subarray(shift, shift + CHUNK_BYTES);
    const what = `read 64 MiB into a buffer ${String(16 + shift)} bytes after a page`;
    await measure(what, { times: 20, perGib: PARTS }, () => readAll(whole, buffer));
  }
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const memory = {
    async *read(_offset, bytes) {
      for (let at = 0; at < bytes; at += chunk.byteLength) yield chunk;
    },
  };
  await measure('64 chunks of a part through all generators', atParts, () => put(memory, PART_BYTES));
  await measure('with MD5: generate and check the kernels', once, () => md5Engine.report());
} finally {
  await rm(dir, { recursive: true, force: true });
}
console.log('| what | ms of the processor | ms for 1 GiB in 16 parts |\n|---|---|---|');
console.log(rows.join('\n'));

function put(reader, bytes) {
  const transport = {
    async send({ body }) {
      for await (const piece of body.open()) piece.at(0);
      return { status: 200, headers: { etag: 'none' }, body: nothing() };
    },
  };
  const part = { partNumber: 1, offset: 0, bytes, url: 'http://127.0.0.1/', verifyMd5: false };
  const rules = { stallMs: 15_000 };
  const { signal } = new AbortController();
  return requestPart({ transport, reader, clock }, { ...part, ...rules }, { onBytes() {}, signal });
}

async function readAll(file, buffer) {
  const handle = await open(file);
  while ((await handle.read(buffer, 0, buffer.byteLength)).bytesRead > 0);
  await handle.close();
}

async function* nothing() {}
