import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import { systemClock } from '../../api/system-clock';
import type { Transport } from '../../api/transport/transport';
import { createN8nTransport } from '../../nodes/MediaService/n8n-transport';
import { describeTransport } from '../unit/api/transport/transport-contract';

const overN8n = (): Transport =>
  createN8nTransport({
    httpRequest: (options) => Container.get(OutboundHttp).requests().request(options),
  });

describeTransport({
  name: "n8n's HTTP helper",
  make: () => ({ transport: overN8n(), close: () => Promise.resolve() }),
});

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
  '%s: whether a request may have arrived follows from when TLS breaks',
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

test('the time-out of an answer counts from the last byte: a part may take longer than that', async () => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/part`;
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    // Waits for nothing: a sender that takes longer than the time-out is what is tried.
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
    server.close();
  }
});
