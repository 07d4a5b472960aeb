import { createServer } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { configureGlobalAxiosDefaults, OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import { readStart } from '../../api/answers/read-answer';
import { systemClock } from '../../api/clock';
import type { Transport } from '../../api/transport/transport';
import { createN8nTransport } from '../../n8n/n8n-transport';
import { describeTransport } from '../unit/api/transport/transport-contract';
import { listen } from '../support/listen';

// n8n does this when it starts. Without it the library under its helper uses the proxies too.
configureGlobalAxiosDefaults();

const overN8n = (): Transport =>
  createN8nTransport({
    httpRequest: (options) => Container.get(OutboundHttp).requests().request(options),
  });

describeTransport("n8n's HTTP helper", () => ({ ...overN8n(), close: () => Promise.resolve() }));

test.each([
  [
    'a port that speaks plain http',
    'EPROTO',
    'write EPROTO 80:error:0A00010B:SSL routines:wrong version number',
    'unsent',
  ],
  ['no common protocol', 'ERR_SSL_UNSUPPORTED_PROTOCOL', 'unsupported protocol', 'unsent'],
  ['a certificate that ended', 'CERT_HAS_EXPIRED', 'certificate has expired', 'unsent'],
  ['a broken record', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'bad record mac', 'ambiguous'],
  ['any other break', 'EPROTO', 'read EPROTO 80:error:0A0003FC:SSL routines:bad record mac', 'ambiguous'],
])(
  '%s: the moment when TLS breaks decides whether a request may have arrived',
  async (_what, code, text, outcome) => {
    const failing = createN8nTransport({
      httpRequest: () =>
        Promise.reject(Object.assign(new Error(text), { code, syscall: text.split(' ')[0] })),
    });
    const sending = failing.send({
      method: 'POST',
      url: 'https://a.example/upload',
      headers: {},
      body: '{}',
    });
    await expect(sending).rejects.toMatchObject({ facts: { outcome } });
  },
);

test('the time-out of an answer counts from the last byte, so that a part may take longer', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  const { url, close } = await listen(server);
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    // A real pause: the test needs a sender that takes longer than the time-out.
    await systemClock.sleep(9_000);
    yield Buffer.from('b');
  }
  try {
    const { status } = await overN8n().send({
      method: 'PUT',
      url,
      headers: {},
      body: { bytes: 2, open: slowly },
      timeouts: { headersMs: 8_000 },
    });
    expect(status).toBe(200);
  } finally {
    await close();
  }
});

test('the answer of a server that reads nothing of a part is reported, not the reset that follows', async () => {
  const text = '<Error><Code>EntityTooLarge</Code></Error>';
  const server = createNetServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.pause();
        const headers = `content-length: ${text.length}\r\nconnection: close\r\n\r\n`;
        socket.write(`HTTP/1.1 413 Too Large\r\n${headers}${text}`, () => socket.destroy());
      });
  });
  const { url, close } = await listen(server);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < 512; at += 1) yield Buffer.alloc(128 * 1024);
  }
  try {
    for (let call = 0; call < 10; call += 1) {
      const body = { bytes: 512 * 128 * 1024, open: pieces };
      const answer = await overN8n().send({ method: 'PUT', url, headers: {}, body });
      expect([answer.status, await readStart(answer.body, 1_000)]).toEqual([413, text]);
    }
  } finally {
    await close();
  }
});
