import { BlockList, isIP } from 'node:net';

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

/** Mapped addresses and those of public NAT64: the last 32 bits are the IPv4 address that is reached. */
const MAPPED = blockList([
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
]);

export function addressKind(address: string): AddressKind {
  const family = isIP(address);
  if (family === 0) return 'never';
  const plain = address.split('%')[0] ?? address;
  if (family === 4) return ownKind(plain, 'ipv4');
  return MAPPED.check(plain, 'ipv6') ? ownKind(lastIPv4(plain), 'ipv4') : ownKind(plain, 'ipv6');
}

/** URL writes an IPv6 address in only one form: groups in hexadecimal, without dots. */
function lastIPv4(address: string): string {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  return groups
    .map((group) => (group === '' ? 0 : Number.parseInt(group, 16)))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

function ownKind(address: string, type: 'ipv4' | 'ipv6'): AddressKind {
  if (NEVER.check(address, type)) return 'never';
  return PRIVATE.check(address, type) ? 'private' : 'public';
}

interface AddressList {
  check(address: string, family: 'ipv4' | 'ipv6'): boolean;
}

/** Created at the first check: n8n loads this file at its start and needs no list then. */
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
