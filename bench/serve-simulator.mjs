// `node bench/serve-simulator.mjs OPTIONS`: a simulator with the options of `startSimulator` as JSON, which the command
// has no flags for. Prints the environment of its clients, and runs until SIGTERM.
import { once } from 'node:events';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { startSimulator } = require('../packages/media-service/dist/simulator/start-simulator.js');
const simulator = await startSimulator(JSON.parse(process.argv[2]));
const { baseUrl, uploadUrl, account } = simulator;
const environment = {
  MEDIA_SERVICE_BASE_URL: baseUrl,
  MEDIA_SERVICE_UPLOAD_URL: uploadUrl,
  MEDIA_SERVICE_API_KEY: account.apiKey,
  MEDIA_SERVICE_SECRET_KEY: account.secretKey,
  MEDIA_SERVICE_EXTERNAL_ID: account.externalId,
};
console.log(JSON.stringify({ baseUrl, environment }));
await once(process, 'SIGTERM');
await simulator.close();
