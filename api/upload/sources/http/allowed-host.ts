import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Advice } from '../../../advice';
import { MediaServiceError, TransportError } from '../../../errors';
import { networkCodeOf } from '../../../transport/network-code';
import { labelOf } from '../source-label';
import { addressKind } from './address-kind';

/** Names of cloud metadata services. They are refused whatever they resolve to. */
const METADATA_NAMES: readonly string[] = ['metadata.google.internal', 'metadata', 'instance-data'];

/**
 * Resolves the host of a source's URL. It refuses the host with `SourceNotAllowed` if any of its addresses is
 * link-local or a metadata service's. It also refuses a loopback or private address unless `sourceHosts` names the host
 * (as `host` or `host:port`). Resolves with the checked addresses. Connect only to these, because the next answer of
 * the DNS may differ. If a proxy resolves the host, this machine need not know its name.
 */
export async function checkSourceHost(
  url: URL,
  sourceHosts: readonly string[],
  isProxied = false,
): Promise<readonly string[]> {
  const label = labelOf(url.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw notAllowed(label, `has the scheme ${url.protocol}`, { hint: 'Only http and https can be read.' });
  }
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (METADATA_NAMES.includes(host)) throw never(label);
  const addresses = await addressesOf(host, url).catch((error: unknown) => {
    if (isProxied) return [];
    throw error;
  });
  const kinds = addresses.map(addressKind);
  if (kinds.includes('never')) throw never(label);
  if (kinds.includes('private') && !isNamed(url, host, sourceHosts)) {
    throw notAllowed(label, 'points to this machine or a private network', {
      remedy: { kind: 'allow-source-host', host: url.host },
    });
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

async function addressesOf(host: string, url: URL): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    const code = networkCodeOf(error) ?? 'unknown';
    const says = code === 'ENOTFOUND' ? 'does not exist' : "can't be looked up for now";
    throw new TransportError(
      `the host of the source ${labelOf(url.href)} ${says} (${code})`,
      {
        outcome: 'unsent',
        hint: 'Check the address of the source, and the DNS of the machine that reads it.',
        details: { code, host: url.host },
      },
      { cause: error },
    );
  }
}

function never(label: string): MediaServiceError {
  return notAllowed(label, 'leads to a link-local address or to a metadata service', {
    hint: 'Such addresses are never read, whatever the settings.',
  });
}

export function notAllowed(label: string, what: string, advice: Advice): MediaServiceError {
  return new MediaServiceError('SourceNotAllowed', `the source ${label} ${what}`, {
    outcome: 'unsent',
    field: 'source.url',
    problem: `${label} ${what}`,
    ...advice,
  });
}
