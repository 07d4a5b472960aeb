import { BlockList, isIP } from 'node:net';
import { carriedIPv4 } from './carried-ipv4';

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
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fec0::', 10],
]);

const STRICTEST_LAST: readonly AddressKind[] = ['public', 'private', 'never'];

/** An address that contains IPv4 ones, as tunnels and translators use, is as strict as the strictest of them. */
export function addressKind(address: string): AddressKind {
  const family = isIP(address);
  if (family === 0) return 'never';
  const plain = address.split('%')[0] ?? address;
  const own = ownKind(plain, family === 4 ? 'ipv4' : 'ipv6');
  return family === 4 ? own : carriedIPv4(plain).map(addressKind).reduce(stricterKind, own);
}

export function stricterKind(one: AddressKind, other: AddressKind): AddressKind {
  return STRICTEST_LAST.indexOf(one) > STRICTEST_LAST.indexOf(other) ? one : other;
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
