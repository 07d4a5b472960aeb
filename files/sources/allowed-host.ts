import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { TransportError } from '../../api/errors';
import type { MediaServiceError } from '../../api/errors';
import { networkCodeOf } from '../../api/transport/transport';
import { addressNotAllowed as notAllowed, labelOf } from '../../api/upload/sources/source';

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
    throw notAllowed(label, `has the scheme ${url.protocol}`, 'Only http and https can be read.');
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
    throw notAllowed(
      label,
      'points to this machine or a private network',
      `To allow it, add the host ${url.host} to {sourceHosts}.`,
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
      .replace(/^\[(.*)\](?=:|$)/, '$1');
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
  return notAllowed(
    label,
    'leads to a link-local address or to a metadata service',
    'Such addresses are never read, whatever the settings.',
  );
}

/**
 * How a source may use an IP address. `never`: link-local, cloud metadata, multicast and the like, which no setting
 * allows. `private`: loopback and private networks, allowed by name. `public`: all others.
 */
type AddressKind = 'public' | 'private' | 'never';

const NEVER = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['fe80::', 10],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  ['ff00::', 8],
]);

const PRIVATE = blockList([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  // ::1, and tunnels and translators that may carry IPv4: compatible, translated, local NAT64, Teredo, 6to4.
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fec0::', 10],
]);

export function addressKind(address: string): AddressKind {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 0) return 'never';
  const [shown, family] =
    isIP(plain) === 4 ? ([plain, 'ipv4'] as const) : ([ownIPv6(plain), 'ipv6'] as const);
  if (NEVER.check(shown, family)) return 'never';
  return PRIVATE.check(shown, family) ? 'private' : 'public';
}

/**
 * Returns an address of public NAT64 as the IPv4 address that is reached, in the mapped form, which Node compares with
 * ranges of IPv4. URL writes an IPv6 address in only one form.
 */
function ownIPv6(address: string): string {
  return new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .replace(/^64:ff9b::$/, '::')
    .replace(/^64:ff9b::/, '::ffff:');
}

function blockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges)
    list.addSubnet(network, prefix, isIP(network) === 4 ? 'ipv4' : 'ipv6');
  return list;
}
