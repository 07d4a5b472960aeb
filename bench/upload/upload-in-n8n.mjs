// Uploads a file as the node does inside n8n, and prints the resident memory before it and at its peak, in MB.
import { createReadStream, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { clearInterval, setInterval } from 'node:timers';

const { bundle, file, bytes, files, environment } = JSON.parse(process.argv[2]);
const require = createRequire(import.meta.url);
const { configureGlobalAxiosDefaults, OutboundHttp } = require('@n8n/backend-network');
const { Container } = require('@n8n/di');
const { createDirectSteps, createN8nTransport, createService, directControl, ...modules } = require(bundle);
const { n8nClock, n8nSource, runUpload, throughMemory } = modules;
configureGlobalAxiosDefaults();

const helpers = {
  httpRequest: (options) => Container.get(OutboundHttp).requests().request(options),
  getBinaryStream: async () => createReadStream(file),
  assertBinaryData: () => ({
    id: 'filesystem-v2:file',
    bytes,
    fileName: 'film.mp4',
    mimeType: 'video/mp4',
    data: '',
  }),
};
const context = { helpers, getNodeParameter: (name) => (name === 'source' ? 'binary' : 'data') };
const transport = createN8nTransport(helpers);
const account = {
  baseUrl: environment.MEDIA_SERVICE_BASE_URL,
  uploadUrl: environment.MEDIA_SERVICE_UPLOAD_URL,
  apiKey: environment.MEDIA_SERVICE_API_KEY,
  secretKey: environment.MEDIA_SERVICE_SECRET_KEY,
  externalId: environment.MEDIA_SERVICE_EXTERNAL_ID,
};
const service = createService({ account, transport, clock: n8nClock });

// n8n's server keeps its process alive.
const alive = setInterval(() => {}, 1000);
await service.tokens.login();
const before = memoryMb('VmRSS');
const began = Date.now();
await Promise.all(Array.from({ length: files }, (_, index) => upload(`bench-${index}`)));
const peak = memoryMb('VmHWM');
console.log(
  JSON.stringify({ files, seconds: (Date.now() - began) / 1000, before, peak, more: peak - before }),
);
clearInterval(alive);

async function upload(ingestKey) {
  const one = n8nSource({ context, itemIndex: 0, transport });
  const hooks = { onProgress() {} };
  const steps = throughMemory(createDirectSteps(service, { ...one.sources, transport }, hooks), one);
  const request = { source: one.source, media: {}, ingestKey, options: { acceptAnyContent: true } };
  const { parts } = await runUpload(request, steps, directControl(service, steps, hooks));
  if (!parts.every(({ verified }) => verified)) throw new Error('a part was not verified');
}

function memoryMb(name) {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Math.round((Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)[1]) * 1024) / 1e6);
}
