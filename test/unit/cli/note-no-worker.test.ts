import { expect, test } from '@jest/globals';
import { Writable } from 'node:stream';
import { noteWaitingRequest } from '../../../cli/note-no-worker';
import { Terminal } from '../../../cli/output/terminal';
import type { TemporalConnection } from '../../../temporal/client/connect';

test('a failed search for workers is only a note, since the request itself was accepted', async () => {
  let stderr = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      stderr += String(chunk);
      done();
    },
  });
  const unreachable = Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
  const describe = (): Promise<never> => Promise.reject(unreachable);
  const connection = {
    address: 'temporal:7233',
    namespace: 'media',
    client: { workflow: { getHandle: () => ({ describe }) } },
  } as unknown as TemporalConnection;
  const terminal = new Terminal({ stdout: sink, stderr: sink });
  await noteWaitingRequest(terminal, connection, { workflowIds: ['upload/acme/1'], request: 'pause' });
  expect(stderr).toMatch(/^Can't check whether a worker is running: .*temporal:7233/);
});
