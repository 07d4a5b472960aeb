import { exampleDeps } from './example-deps';

it('a storage origin gets as many parts as there are slots of its two queues', async () => {
  const { partAdmissions } = exampleDeps(undefined, { slots: { parts: 21 } });
  const part = { partNumber: 1, bytes: 1, url: 'https://storage.example/part' };
  const sender = { accountId: 'a', queue: 'q' };
  await partAdmissions.of(sender).enter(part, new AbortController().signal);
  // 128 rows of batches may each send a part.
  expect(partAdmissions.storageLimits().get('https://storage.example')).toBe(42 + 128);
});
