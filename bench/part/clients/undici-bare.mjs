// The minimum for a Node client: undici, two reused buffers, one chunk read ahead, no checks.
import { open, readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { runJob, sendParts } from './job.mjs';

const CHUNK = 1024 * 1024;

async function* body(file, offset, bytes) {
  const buffers = [Buffer.allocUnsafeSlow(CHUNK), Buffer.allocUnsafeSlow(CHUNK)];
  const read = (turn, at) => file.read(buffers[turn % 2], 0, Math.min(CHUNK, offset + bytes - at), at);
  let at = offset;
  let ahead = read(0, at);
  for (let turn = 0; at < offset + bytes; turn++) {
    const { bytesRead } = await ahead;
    at += bytesRead;
    if (at < offset + bytes) ahead = read(turn + 1, at);
    yield buffers[turn % 2].subarray(0, bytesRead);
  }
}

await runJob(async (job) => {
  const ca = job.ca ? await readFile(job.ca) : undefined;
  const dispatcher = new Agent({ connect: { ca }, headersTimeout: 0, bodyTimeout: 0 });
  const file = await open(job.file);
  const figures = await sendParts(job, async ({ url, offset, bytes }) => {
    const headers = { 'content-length': String(bytes), 'content-type': 'application/octet-stream' };
    const answer = await request(url, {
      dispatcher,
      method: 'PUT',
      headers,
      body: body(file, offset, bytes),
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
    return answer.headers.etag;
  });
  await file.close();
  await dispatcher.close();
  return figures;
});
