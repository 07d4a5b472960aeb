import { BlockList } from 'node:net';

/**
 * Returns the IPv4 addresses that an IPv6 address represents: a host, tunnel or translator on the way forwards traffic
 * to them. There are several if the form does not show which one is meant. A network's own NAT64 prefix outside
 * 64:ff9b::/32 can't be recognised.
 */
export function carriedIPv4(address: string): readonly string[] {
  const groups = groupsOf(address);
  const at = (index: number): number => groups[index] ?? 0;
  const found: string[] = [];
  if (isIn('lastBits', address) && !isLoopback(groups)) found.push(dotted(at(6), at(7)));
  if (at(0) === 0x2002) found.push(dotted(at(1), at(2)));
  // Teredo contains its server's address, and its client's with every bit inverted.
  if (at(0) === 0x2001 && at(1) === 0) {
    found.push(dotted(at(2), at(3)), dotted(at(6) ^ 0xffff, at(7) ^ 0xffff));
  }
  // ISATAP, under any prefix. One bit says whether the address counts as globally unique.
  if ((at(4) & ~0x0200) === 0 && at(5) === 0x5efe) found.push(dotted(at(6), at(7)));
  if (isIn('localNat64', address)) found.push(...ofLocalNat64(groups));
  return found;
}

const PREFIXES = {
  /** Mapped, compatible, translated, NAT64. */
  lastBits: [
    ['::ffff:0:0', 96],
    ['::', 96],
    ['::ffff:0:0:0', 96],
    ['64:ff9b::', 96],
  ],
  /** For networks with their own translators. The prefix may have any length. */
  localNat64: [['64:ff9b:1::', 48]],
} as const;

/** RFC 6052: the four bytes follow the prefix, byte 8 is skipped, and zeros fill the rest. */
function ofLocalNat64(groups: readonly number[]): string[] {
  const bytes = groups.flatMap((group) => [group >> 8, group & 255]);
  const readings = [6, 7, 8, 12].flatMap((from) => {
    const positions = from === 12 ? [12, 13, 14, 15] : afterPrefix(from);
    const last = positions.at(-1) ?? 0;
    const isWhole = from === 12 || (bytes[8] === 0 && bytes.slice(last + 1).every((byte) => byte === 0));
    return isWhole ? [positions.map((position) => bytes[position]).join('.')] : [];
  });
  // Zeros after or inside a short prefix are no address.
  return readings.filter((reading) => !reading.startsWith('0.'));
}

function afterPrefix(from: number): number[] {
  return Array.from({ length: 5 }, (_, index) => from + index)
    .filter((position) => position !== 8)
    .slice(0, 4);
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The loopback address of IPv6 itself, not 0.0.0.1. */
function isLoopback(groups: readonly number[]): boolean {
  return groups.every((group, index) => group === (index === 7 ? 1 : 0));
}

/** URL writes an IPv6 address in only one form, without dots. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [numbers(head), numbers(tail ?? '')];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/** Created at the first check: n8n loads this file at its start and needs no list then. */
const lists = new Map<keyof typeof PREFIXES, BlockList>();

function isIn(name: keyof typeof PREFIXES, address: string): boolean {
  const list = lists.get(name) ?? new BlockList();
  if (!lists.has(name)) {
    for (const [network, prefix] of PREFIXES[name]) list.addSubnet(network, prefix, 'ipv6');
    lists.set(name, list);
  }
  return list.check(address, 'ipv6');
}
