import { Writable } from 'node:stream';
import { written } from '../../../../cli/output/terminal';

/** A stream whose reader takes a piece only when the test says so. */
function slowStream(): { readonly stream: Writable; take(error?: Error): void } {
  const waiting: ((error?: Error) => void)[] = [];
  const stream = new Writable({
    write: (_chunk, _encoding, done) => void waiting.push(done),
  });
  return { stream, take: (error) => waiting.shift()?.(error) };
}

test('waits until a slow reader has taken everything', async () => {
  const slow = slowStream();
  slow.stream.write('one');
  slow.stream.write('two');
  let isWritten = false;
  const waiting = written([slow.stream]).then(() => (isWritten = true));
  slow.take();
  await new Promise(setImmediate);
  expect(isWritten).toBe(false);
  slow.take();
  await new Promise(setImmediate);
  slow.take();
  await waiting;
});

test('does not wait for a reader that has gone', async () => {
  const slow = slowStream();
  slow.stream.on('error', () => undefined);
  slow.stream.write('one');
  const waiting = written([slow.stream]);
  slow.take(new Error('EPIPE'));
  await waiting;
  await written([slow.stream]);
});
