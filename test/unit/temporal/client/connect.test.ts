import { describe, expect, it } from '@jest/globals';
import { connectTemporal, tlsOf, unreachable } from '../../../../temporal/client/connect';
import { freePort } from '../../../support/free-port';

describe('connectTemporal', () => {
  it('says within seconds that nothing answers, and where', async () => {
    const address = `127.0.0.1:${String(await freePort())}`;
    await expect(connectTemporal({ address, namespace: 'default' })).rejects.toMatchObject({
      code: 'TemporalUnreachable',
      message: `No Temporal server answers at ${address}: connection refused, nothing listens there.`,
    });
  }, 30_000);

  it('refuses malformed codec keys before it connects', async () => {
    const at = { address: '127.0.0.1:1', namespace: 'default', codecKeys: 'nonsense' };
    await expect(connectTemporal(at)).rejects.toMatchObject({ code: 'Configuration' });
  });
});

describe('unreachable', () => {
  it.each([
    ['on', { tls: true }, true],
    ['on with an own authority', { tls: { caPem: 'CA' } }, true],
    ['on for an API key', { apiKey: 'k' }, true],
    ['off', {}, false],
    ['off in spite of an API key', { apiKey: 'k', tls: false }, false],
  ])('names TLS first only if it is on: %s', (_label, how, first) => {
    const { facts } = unreachable({ address: 'localhost:7233', ...how }, undefined);
    expect(facts.remedy).toEqual({ kind: 'check-temporal-address', encrypted: first });
  });
});

describe('tlsOf', () => {
  it.each([
    ['nothing is given', {}, undefined],
    ['there is an API key', { apiKey: 'k' }, true],
    ['it is switched off in spite of an API key', { apiKey: 'k', tls: false }, false],
    ['a name is given', { tls: { serverName: 's' } }, { serverNameOverride: 's' }],
  ])('if %s', (_name, at, tls) => {
    expect(tlsOf(at)).toEqual(tls);
  });

  it('accepts certificates as text', () => {
    expect(tlsOf({ tls: { caPem: 'ca', certPem: 'c', keyPem: 'k' } })).toEqual({
      serverRootCACertificate: Buffer.from('ca'),
      clientCertPair: { crt: Buffer.from('c'), key: Buffer.from('k') },
    });
  });

  it.each([
    ['keyPem', { certPem: 'c' }],
    ['certPem', { keyPem: 'k' }],
  ])('names the missing half of a client certificate: %s', (field, tls) => {
    expect(() => tlsOf({ tls })).toThrow(
      expect.objectContaining({ code: 'Configuration', facts: { field } }),
    );
  });
});
