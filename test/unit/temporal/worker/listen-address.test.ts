import { networkInterfaces } from 'node:os';
import { listenError, socketAddress } from '../../../../temporal/worker/health-server';

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.family === 'IPv6');

it.each([
  ['127.0.0.1', '127.0.0.1:9464'],
  ['::1', '[::1]:9464'],
  ['*', hasIpv6 ? '[::]:9464' : '0.0.0.0:9464'],
])('Temporal gets the host %s as %s', (host, text) => {
  expect(socketAddress({ host, port: 9464 })).toBe(text);
});

/** As Temporal's core 1.24 says it. */
it.each([
  ['Failed to start prometheus metrics exporter: Address already in use (os error 98)', 'the port is in use'],
  [
    'Failed to start prometheus metrics exporter: Cannot assign requested address (os error 99)',
    'this is not an address of this machine',
  ],
  [
    'metricsExporter.prometheus.socketAddr: invalid socket address syntax',
    'this is not an address of this machine',
  ],
  ['Permission denied (os error 13)', 'Permission denied (os error 13)'],
])('the error "%s" becomes "%s"', (message, problem) => {
  const at = { host: '10.0.0.7', port: 9464 };
  expect(listenError('metrics', at, new Error(message))).toMatchObject({
    code: 'Configuration',
    message: `The address 10.0.0.7:9464 for metrics can't be opened: ${problem}.`,
    facts: { field: 'metrics', hint: expect.stringContaining('a free port for metrics') },
  });
});
