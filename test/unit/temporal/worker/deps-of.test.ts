import { expect, it } from '@jest/globals';
import type { WorkerConfig } from '../../../../temporal/worker/worker-config';
import { exampleDeps } from '../activities/example-deps';

it.each<[label: string, change: Partial<WorkerConfig>, parts: number]>([
  ['of its two queues', { slots: { transfer: 12, host: 30 } }, 42],
  ['of the tuner, by default', { tuner: {} }, 200],
  ['of the tuner, up to its max', { tuner: {}, slots: { transfer: 60, host: 60 } }, 120],
])('a storage origin gets as many parts as there are slots %s', (_label, change, parts) => {
  const { limiters } = exampleDeps(undefined, change);
  // 128 rows of batches may each send a part.
  expect(limiters.of('https://storage.example/part').limit()).toBe(parts + 128);
});
