import { expect, test } from '@jest/globals';
import { noteWaitingRequest } from '../../../cli/missing-worker';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { keptOutput } from './kept-output';

test('a failed search for workers is only a note, since the request itself was accepted', async () => {
  const unreachable = Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
  const describe = (): Promise<never> => Promise.reject(unreachable);
  const connection = {
    address: 'temporal:7233',
    namespace: 'media',
    lister: { workflow: { getHandle: () => ({ describe }) } },
  } as unknown as TemporalConnection;
  const { terminal, written } = keptOutput();
  await noteWaitingRequest(terminal, connection, { workflowIds: ['upload/acme/1'], request: 'pause' });
  expect(written.stderr).toMatch(/^Can't check whether a worker is running: .*temporal:7233/);
});
