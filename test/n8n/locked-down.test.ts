import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Simulator } from '../../simulator/simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { credentialOf } from './support/credential';
import { runNode } from './support/run-workflow';

let simulator: Simulator;
beforeAll(async () => {
  process.env['N8N_BLOCK_ENV_ACCESS_IN_NODE'] = 'true';
  simulator = await startSimulator({ seed: { media: 3, deliveries: 3 } });
});
afterAll(async () => {
  delete process.env['N8N_BLOCK_ENV_ACCESS_IN_NODE'];
  await simulator.close();
});

test('the node works if n8n hides its environment from expressions', async () => {
  const credentials = { mediaServiceApi: credentialOf(simulator) };
  const { items, error } = await runNode({
    parameters: { resource: 'media', operation: 'search' },
    credentials,
  });
  expect(error).toBeUndefined();
  expect(items).toHaveLength(3);
});

test('a path is refused before anything is sent if no folder is allowed', async () => {
  const { error } = await runNode({
    parameters: { resource: 'upload', operation: 'upload', source: 'path', path: __filename },
    credentials: { mediaServiceApi: credentialOf(simulator) },
  });
  expect(`${error?.message} ${error?.description}`).toContain('MEDIA_SERVICE_FILE_ROOTS');
  expect(simulator.seen().requests['start']).toBeUndefined();
});
