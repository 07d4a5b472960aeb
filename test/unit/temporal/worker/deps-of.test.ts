import { expect, it } from '@jest/globals';
import { exampleDeps } from './example-deps';

it('a storage origin gets as many parts as there are slots of its two queues', () => {
  const { limiters } = exampleDeps(undefined, { slots: { parts: 21 } });
  // 128 rows of batches may each send a part.
  expect(limiters.of('https://storage.example/part').limit()).toBe(42 + 128);
});
