// The usual first solution: fetch with a stream of the part.
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Agent, fetch } from 'undici';
import { runJob, sendParts } from './job.mjs';

await runJob(async (job) => {
  const ca = job.ca ? await readFile(job.ca) : undefined;
  const dispatcher = new Agent({ connect: { ca } });
  const figures = await sendParts(job, async ({ url, offset, bytes }) => {
    const body = Readable.toWeb(createReadStream(job.file, { start: offset, end: offset + bytes - 1 }));
    const headers = { 'content-length': String(bytes), 'content-type': 'application/octet-stream' };
    const answer = await fetch(url, { dispatcher, method: 'PUT', headers, body, duplex: 'half' });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    return answer.headers.get('etag');
  });
  await dispatcher.close();
  return figures;
});
