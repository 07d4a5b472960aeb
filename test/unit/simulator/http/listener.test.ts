import { type Handle, listen } from '../../../../simulator/http/listener';

afterEach(() => void jest.restoreAllMocks());

/** What a client and stderr get if this handler serves the request. */
async function asked(handle: Handle): Promise<{ answer: unknown; stderr: string }> {
  let stderr = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
  const listener = await listen(handle, { port: 0 });
  const answer = await fetch(`${listener.origin}/film?X-Amz-Signature=secret`, { method: 'PUT' })
    .then(async (response) => [response.status, await response.text()])
    .catch((error: unknown) => String(error));
  await listener.close();
  return { answer, stderr };
}

test('an error of a handler is answered 500, and shown on stderr without the query', async () => {
  const { answer, stderr } = await asked(() => Promise.reject(new Error('The disk is full.')));
  expect(answer).toEqual([500, 'The simulator failed: see its stderr.']);
  expect(stderr).toMatch(/^The simulator failed at PUT \/film: Error: The disk is full\.\n {4}at /);
  expect(stderr).not.toContain('secret');
});
