import { BlockList, isIP } from 'node:net';

/**
 * What an IP address is to a source: `never` = link-local, cloud metadata, multicast and the like, which no setting allows; `private` =
 * loopback and private networks, allowed by name; `public` = the rest.
 */
export type AddressKind = 'public' | 'private' | 'never';

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
  ['::1', 128],
  ['fc00::', 7],
  ['fec0::', 10],
]);

/** Prefixes under which an IPv6 address carries an IPv4 one in its last 32 bits. */
const CARRIERS = blockList([
  ['::ffff:0:0', 96],
  ['::', 96],
  ['64:ff9b::', 96],
]);

export function addressKind(address: string): AddressKind {
  const family = isIP(address);
  if (family === 0) return 'never';
  const plain = address.split('%')[0] ?? address;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (NEVER.check(plain, type)) return 'never';
  if (PRIVATE.check(plain, type)) return 'private';
  const carried = family === 6 && CARRIERS.check(plain, 'ipv6') ? carriedIPv4(plain) : undefined;
  return carried === undefined ? 'public' : addressKind(carried);
}

function carriedIPv4(address: string): string | undefined {
  const dotted = /(?<!\d)(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  // URL writes an IPv6 address in one form only, without dots.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group === '' ? '0' : group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

interface AddressList {
  check(address: string, family: 'ipv4' | 'ipv6'): boolean;
}

/** Made at the first check: n8n's start loads this file and needs no list. */
function blockList(ranges: readonly (readonly [string, number])[]): AddressList {
  let list: BlockList | undefined;
  return { check: (address, family) => (list ??= filled(ranges)).check(address, family) };
}

function filled(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges)
    list.addSubnet(network, prefix, isIP(network) === 4 ? 'ipv4' : 'ipv6');
  return list;
}
