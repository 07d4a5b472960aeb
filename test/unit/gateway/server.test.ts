import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Admission } from '../../../gateway/admission';
import { limitsOf } from '../../../gateway/gateway-config';
import type { GatewayContext, Route } from '../../../gateway/route';
import { startServer } from '../../../gateway/server';
import type { HttpServer } from '../../../gateway/server';

const DEFAULTS = limitsOf({});

let server: HttpServer;
afterEach(async () => {
  jest.useRealTimers();
  await server.close();
});

const admitAll: Admission = {
  admit: () => Promise.resolve({ caller: {} as never, release: () => undefined }),
};

/** Opens a connection to a server with this one route, and sends raw text. */
async function ask(
  route: Pick<Route, 'handle'> & Partial<Route>,
  sent: string,
  { admission = admitAll, limits = {} }: { admission?: Admission; limits?: Partial<typeof DEFAULTS> } = {},
): Promise<Socket> {
  const about = {
    method: 'GET',
    path: '/slow',
    right: 'read',
    answer: 'lines',
    operationId: 'slow',
    summary: '',
  } as const;
  server = await startServer({
    context: {
      config: { listen: { host: '127.0.0.1', port: 0 }, limits },
      stopping: new AbortController().signal,
    } as unknown as GatewayContext,
    routes: [{ ...about, ...route }],
    admission,
    logger: { error: () => undefined },
  });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(sent);
  return socket;
}

/** Empty: the connection is closed first. */
const answerTo = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (answer) => resolve(String(answer))).once('close', () => resolve(''));
  });

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
  const handle = (): Promise<{ body: object }> => Promise.resolve({ body: {} });
  const socket = await ask({ handle }, 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n', { admission });
  await asked;
  socket.destroy();
  await once(socket, 'close');
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  seen.emit('gone');
  expect(await released).toEqual([]);
});

/** Only timers, since sockets need the rest. */
const fakeTimers = (): void =>
  void jest.useFakeTimers({
    doNotFake: [
      'setImmediate',
      'clearImmediate',
      'nextTick',
      'queueMicrotask',
      'performance',
      'Date',
      'hrtime',
    ],
  });

it.each([
  ['a request that waits for an end', {}, 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n', ''],
  [
    'a file that is still being sent',
    { method: 'POST', body: 'stream' },
    'POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nfi',
    'lm',
  ],
] as const)('%s is not cut after the time in which JSON must arrive', async (_label, route, head, rest) => {
  const seen = new EventEmitter();
  const [handled, go] = ['handled', 'go'].map((event) => once(seen, event));
  fakeTimers();
  const socket = await ask(
    {
      ...route,
      async handle({ incoming }) {
        seen.emit('handled');
        await go;
        return { body: { body: await text(incoming) } };
      },
    },
    head,
  );
  await handled;
  jest.advanceTimersByTime(2 * DEFAULTS.receiveMs);
  socket.write(rest);
  seen.emit('go');
  expect(await answerTo(socket)).toContain(JSON.stringify({ body: rest === '' ? '' : 'film' }));
  socket.destroy();
});

it('a refused client sees its answer while it still sends, and is cut if it never ends', async () => {
  fakeTimers();
  const refuse = { admit: () => Promise.reject(new Error('not now')) };
  const handle = (): Promise<never> => Promise.reject(new Error('never called'));
  const head = 'POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n\r\n';
  const socket = await ask({ method: 'POST', body: 'stream', handle }, head, { admission: refuse });
  socket.on('error', () => undefined);
  expect(await answerTo(socket)).toMatch(/^HTTP\/1\.1 500 /);
  for (let sent = 0; sent < 3; sent += 1)
    await new Promise((written) => socket.write(Buffer.alloc(1_000_000), written));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  jest.advanceTimersByTime(DEFAULTS.receiveMs);
  await closed;
});

it('a client that does not read its answer is cut, and the answer is no longer made', async () => {
  const made = new Readable({
    read() {
      this.push(Buffer.alloc(1_000_000));
    },
  });
  const gone = once(made, 'close');
  const handle = (): Promise<{ body: object; type: string }> =>
    Promise.resolve({ body: made, type: 'text/csv' });
  const socket = await ask({ handle }, 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n', { limits: { idleMs: 200 } });
  socket.pause();
  await gone;
  expect(made.readableAborted).toBe(true);
  socket.destroy();
});

it('a connection above the limit is closed, and those that are open are answered', async () => {
  const handle = (): Promise<{ body: object }> => Promise.resolve({ body: { fine: true } });
  const request = 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n';
  const first = await ask({ handle }, request, { limits: { connections: 2 } });
  expect(await answerTo(first)).toContain('fine');
  const [second, third] = [
    connect(first.remotePort ?? 0, '127.0.0.1'),
    connect(first.remotePort ?? 0, '127.0.0.1'),
  ];
  third.on('error', () => undefined);
  second.write(request);
  third.write(request);
  expect([await answerTo(second), await answerTo(third)].map((text) => text.includes('fine'))).toEqual([
    true,
    false,
  ]);
  first.write(request);
  expect(await answerTo(first)).toContain('fine');
  first.destroy();
  second.destroy();
});
