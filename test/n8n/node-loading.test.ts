import { expect, jest, test } from '@jest/globals';
import { useService } from './support/service-setting';

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

const on = useService();

test('searching and exporting load neither Temporal nor any optional library', async () => {
  const search = await on.run({ resource: 'media', operation: 'search' });
  const exported = await on.run({ resource: 'webhookDelivery', operation: 'export' });
  expect([search.error, exported.error]).toEqual([undefined, undefined]);
  expect(search.items).toHaveLength(50);
  expect(mockLoaded).toEqual([]);
});

test('an operation on a worker loads none of it either', async () => {
  const mediaServiceWorkerApi = { url: 'http://127.0.0.1:9', token: 'x' };
  const { error } = await on.run(
    { resource: 'upload', operation: 'cancel', workflowId: 'x' },
    { credentials: { mediaServiceWorkerApi } },
  );
  expect(error?.message).toMatch(/The worker at .* can't be reached/);
  expect(mockLoaded).toEqual([]);
});
