import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import type { Admission } from '../../../gateway/admission';
import type { GatewayContext, Route } from '../../../gateway/route';
import { startServer } from '../../../gateway/server';

it('a client that goes away while it is admitted does not count as one that is being answered', async () => {
  const seen = new EventEmitter();
  const [asked, gone, released] = ['asked', 'gone', 'released'].map((event) => once(seen, event));
  const admission: Admission = {
    async admit() {
      seen.emit('asked');
      await gone;
      return { caller: {} as never, release: () => void seen.emit('released') };
    },
  };
  const route = { method: 'GET', path: '/slow', right: 'read', answers: {} } as const;
  const server = await startServer({
    context: {
      config: { listen: { host: '127.0.0.1', port: 0 } },
      stopping: new AbortController().signal,
    } as unknown as GatewayContext,
    routes: [
      {
        ...route,
        operationId: 'slow',
        summary: '',
        handle: () => Promise.resolve({ body: {} }),
      } satisfies Route,
    ],
    admission,
    onError: () => undefined,
    pages: {},
  });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nhost: x\r\n\r\n');
  await asked;
  socket.destroy();
  await once(socket, 'close');
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  seen.emit('gone');
  expect(await released).toEqual([]);
  await server.close();
});
