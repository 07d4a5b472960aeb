import { listen } from '../../../../simulator/http/listener';

afterEach(() => void jest.restoreAllMocks());

test('an error of a handler is answered 500, and shown on stderr without the query', async () => {
  const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const listener = await listen(() => Promise.reject(new Error('The disk is full.')), { port: 0 });
  const answer = await fetch(`${listener.origin}/film?X-Amz-Signature=secret`, { method: 'PUT' });
  expect([answer.status, await answer.text()]).toEqual([500, 'The simulator failed: see its stderr.']);
  await listener.close();
  const shown = String(stderr.mock.calls);
  expect(shown).toMatch(/^The simulator failed at PUT \/film: Error: The disk is full\.\n {4}at /);
  expect(shown).not.toContain('secret');
});
