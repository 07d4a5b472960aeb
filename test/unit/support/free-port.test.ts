import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from '../../support/free-port';

test('a free port can be listened on, and no outgoing connection takes it', async () => {
  for (let count = 0; count < 20; count += 1) {
    const port = await freePort();
    expect(port).toBeGreaterThan(10_080);
    expect(port).toBeLessThan(32_768);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  }
});
