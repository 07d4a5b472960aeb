// The plain script: p-limit and the same client and engine, without Temporal. It keeps no state after its process
// ends. Arguments: manifest, files at once.
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import pLimit from 'p-limit';
import { distOfCommand } from '../../tools/folders.mjs';

const dist = (file) => createRequire(import.meta.url)(path.join(distOfCommand, file));
const { systemClock } = dist('api/clock.js');
const { md5Engine } = dist('api/md5/md5-engine.js');
const { createService } = dist('api/service/create-service.js');
const { createUndiciTransport } = dist('api/transport/undici-transport.js');
const { createDirectSteps, directControl } = dist('api/upload/engine/direct-steps.js');
const { runUpload } = dist('api/upload/engine/run-upload.js');
const { sourcesOf } = dist('files/sources/read-source.js');
const { readManifest } = dist('manifest/read-manifest.js');
const { rowRequest } = dist('manifest/row-request.js');
const { readSettings, requireAccount } = dist('settings/settings.js');

const [manifest, atOnce] = process.argv.slice(2);
const settings = readSettings();
const transport = createUndiciTransport();
const service = createService({
  account: requireAccount(settings),
  transport,
  options: settings.options,
  clock: systemClock,
});
const rowContext = { folder: path.dirname(manifest) };
const access = { roots: [rowContext.folder], sourceHosts: [], transport, unseal: String };
const limit = pLimit(Number(atOnce));

const startedAt = Date.now();
const running = [];
for await (const row of readManifest(createReadStream(manifest), { format: 'csv', rowContext })) {
  running.push(limit(() => upload(row)));
}
const ends = await Promise.all(running);
const seconds = (Date.now() - startedAt) / 1000;
await transport.close();
const lost = ends.filter((status) => status !== 'COMPLETED');
if (lost.length > 0) throw new Error(`${lost.length} files ended otherwise, the first one as ${lost[0]}`);
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const cpu = { workers: (userCPUTime + systemCPUTime) / 1e6 / ends.length };
console.log(JSON.stringify({ files: ends.length, seconds, highest: Math.round(maxRSS / 1000), cpu }));

async function upload(row) {
  const hooks = { onProgress: () => undefined, hash: md5Engine.open };
  const steps = createDirectSteps(service, sourcesOf(access), hooks);
  const request = { ...rowRequest(row, rowContext), ingestKey: `script/${row.id}`, options: {} };
  const { status } = await runUpload(request, steps, directControl(service, steps, hooks));
  return status;
}
