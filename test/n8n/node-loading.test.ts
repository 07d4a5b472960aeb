import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Simulator } from '../../simulator/simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { credentialOf } from './support/credential';
import { runNode } from './support/run-workflow';

// What n8n leaves out when it installs the package, and Temporal's client, which is slow to load.
const ABSENT = [
  '@temporalio/client',
  '@temporalio/common',
  '@temporalio/worker',
  '@temporalio/workflow',
  '@temporalio/activity',
  '@temporalio/envconfig',
  'undici',
  'commander',
  'string-width',
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
];
const mockLoaded: string[] = [];
for (const name of ABSENT) {
  jest.doMock(name, () => {
    mockLoaded.push(name);
    throw new Error(`${name} is not installed.`);
  });
}

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

test('searching and exporting load neither Temporal nor any optional library', async () => {
  const credentials = { mediaServiceApi: credentialOf(simulator) };
  const search = await runNode({ parameters: { resource: 'media', operation: 'search' }, credentials });
  const exported = await runNode({
    parameters: { resource: 'webhookDelivery', operation: 'export' },
    credentials,
  });
  expect([search.error, exported.error]).toEqual([undefined, undefined]);
  expect(search.items).toHaveLength(50);
  expect(mockLoaded).toEqual([]);
});

test('only an upload loads Temporal', async () => {
  const { error } = await runNode({
    parameters: { resource: 'upload', operation: 'cancel', workflowId: 'x' },
    credentials: {
      mediaServiceApi: credentialOf(simulator),
      mediaServiceTemporalApi: { address: '127.0.0.1:1', namespace: 'default' },
    },
  });
  expect(error?.message).toBe('@temporalio/client is not installed.');
  expect(mockLoaded).toEqual(['@temporalio/client']);
});
