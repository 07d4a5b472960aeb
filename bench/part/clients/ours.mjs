// The code that sends parts in this package, as the worker uses it, without Temporal.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock as clock } from '../../../packages/media-service/dist/api/clock.js';
import { md5Engine } from '../../../packages/media-service/dist/api/md5/md5-engine.js';
import { requestPart } from '../../../packages/media-service/dist/api/upload/part/part-request.js';
import { openSource, pinSource } from '../../../packages/media-service/dist/files/sources/read-source.js';
import { createUndiciTransport } from '../../../packages/media-service/dist/api/transport/undici-transport.js';
import { runJob, sendParts } from './job.mjs';

await runJob(async (job) => {
  // A worker has done this long before its first part.
  await import('undici');
  if (job.verifyMd5) await md5Engine.report();
  const transport = createUndiciTransport(job.ca ? { ca: await readFile(job.ca, 'utf8') } : {});
  const access = { roots: [path.dirname(job.file)], sourceHosts: [], transport, unseal: String };
  const pinned = await pinSource(access, { kind: 'path', path: job.file });
  const reader = openSource(access, pinned);
  const { signal } = new AbortController();
  const figures = await sendParts(job, async ({ index, url, offset, bytes }) => {
    const part = { partNumber: index + 1, offset, bytes, url, verifyMd5: job.verifyMd5 };
    const rules = { stallMs: 15_000 };
    const { eTag, verified } = await requestPart(
      { transport, reader, clock, hash: md5Engine.open },
      { ...part, ...rules },
      { onBytes() {}, signal },
    );
    if (job.isS3 && verified !== job.verifyMd5) throw new Error(`part ${index + 1} was not verified`);
    return `"${eTag}"`;
  });
  await transport.close();
  return figures;
});
