import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { MediaServiceError, TransportError } from '../../../errors';
import { labelOf } from '../source-label';
import { addressKind } from './address-kind';

/** Names of cloud metadata services, whatever they resolve to. */
const METADATA_NAMES: readonly string[] = ['metadata.google.internal', 'metadata', 'instance-data'];

/**
 * Resolves the host of a source's URL and refuses it with `SourceNotAllowed` if any of its addresses is link-local or a metadata service's, or is
 * loopback or private and the host is not named in `sourceHosts` (as `host` or `host:port`). Resolves with the addresses that were checked:
 * only to these may be connected, since the next answer of the DNS can be another one.
 */
export async function checkSourceHost(url: URL, sourceHosts: readonly string[]): Promise<readonly string[]> {
  const label = labelOf(url.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw notAllowed(label, `has the scheme ${url.protocol}`, 'Only http and https can be read.');
  }
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (METADATA_NAMES.includes(host)) throw never(label);
  const addresses = await addressesOf(host, label);
  const kinds = addresses.map(addressKind);
  if (kinds.includes('never')) throw never(label);
  if (kinds.includes('private') && !isNamed(url, host, sourceHosts)) {
    throw notAllowed(
      label,
      'points to this machine or a private network',
      `To allow it, add the host ${url.host} to MEDIA_SERVICE_SOURCE_HOSTS.`,
    );
  }
  return addresses;
}

function isNamed({ protocol, port }: URL, host: string, sourceHosts: readonly string[]): boolean {
  const withPort = `${host}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
  return sourceHosts.some((name) => {
    const plain = name
      .trim()
      .toLowerCase()
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/^\[(.*)\]:/, '$1:');
    return plain === host || plain === withPort;
  });
}

async function addressesOf(host: string, label: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new TransportError(
      `the host of the source ${label} cannot be resolved`,
      { outcome: 'unsent' },
      { cause: error },
    );
  }
}

function never(label: string): MediaServiceError {
  return notAllowed(
    label,
    'leads to a link-local address or to a metadata service',
    'Such addresses are never read, whatever the settings.',
  );
}

export function notAllowed(label: string, what: string, hint: string): MediaServiceError {
  return new MediaServiceError('SourceNotAllowed', `the source ${label} ${what}`, {
    outcome: 'unsent',
    field: 'source.url',
    hint,
  });
}
