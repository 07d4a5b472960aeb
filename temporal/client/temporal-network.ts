import { getCACertificates } from 'node:tls';
import type { TLSConfig } from '@temporalio/client';
import { ConfigurationError } from '../../api/errors';
import { proxiesOf, proxyOf } from '../../api/transport/proxies';
import type { Proxy } from '../../api/transport/proxies';

/** The address of Temporal and its credentials. */
export interface TemporalAddress {
  /** host:port. */
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string;
  /**
   * True: TLS with the certificates that Node or the system trusts. An object: own CA or a client certificate (mTLS),
   * as Temporal's client takes it. Default: TLS if there is an API key.
   */
  readonly tls?: boolean | TLSConfig;
  /** Keys of the payload codec, see `parseCodecKeys`. Unset: payloads are plain, but URLs are still sealed. */
  readonly codecKeys?: string;
}

/**
 * Returns the proxy of this process for an address of Temporal: that for https, else that for http. Both clients, of the
 * command and of the worker, get it from here; by themselves they follow different rules. Its `address` is host:port, as both need it. Undefined: none.
 */
export function temporalProxy(address: string): (Proxy & { readonly address: string }) | undefined {
  const proxies = proxiesOf();
  const scheme = proxies.https === '' && proxies.http !== '' ? 'http' : 'https';
  const proxy = proxyOf(new URL(`${scheme}://${address}`), proxies);
  if (proxy === undefined) return undefined;
  const { protocol, hostname, port } = new URL(proxy.origin);
  if (protocol !== 'http:') {
    throw new ConfigurationError(
      'proxy',
      `Temporal's libraries can't use the proxy ${proxy.origin}, because it speaks TLS`,
      'Name one that begins with http://, or list the host of Temporal in NO_PROXY.',
    );
  }
  return { ...proxy, address: `${hostname}:${port === '' ? '80' : port}` };
}

/**
 * Every certificate that Node or this machine trusts, as one PEM text: also NODE_EXTRA_CA_CERTS, and SSL_CERT_FILE,
 * which is part of the machine's. Of these, one of Temporal's libraries reads only the first, the other only the second.
 */
export function trustedRoots(): string {
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system')])].join('\n');
}
