import { expect, it, jest } from '@jest/globals';

/** Packages that a plain installation inside n8n leaves out. */
const ABSENT = [
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@temporalio/activity',
  '@temporalio/worker',
  '@temporalio/workflow',
  'csv-parse',
  'undici',
];

it("the typed API loads if only Temporal's client is installed", () => {
  for (const name of ABSENT) {
    jest.doMock(name, () => {
      throw new Error(`${name} is not installed.`);
    });
  }
  expect(jest.requireActual('../../../../../temporal/index')).toMatchObject({
    startBatch: expect.any(Function),
    openBatch: expect.any(Function),
    listBatches: expect.any(Function),
  });
});
