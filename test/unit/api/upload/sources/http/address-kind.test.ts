import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressKind, stricterKind } from '../../../../../../api/upload/sources/http/address-kind';

describe('the address of a source', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['127.0.0.1', 'private'],
    ['10.1.2.3', 'private'],
    ['172.31.0.1', 'private'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['::1', 'private'],
    ['fd12::1', 'private'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:7f00:1', 'private'],
    ['64:ff9b::7f00:1', 'private'],
    ['169.254.169.254', 'never'],
    ['fe80::1', 'never'],
    ['fe80::1%eth0', 'never'],
    ['fd00:ec2::254', 'never'],
    ['::ffff:169.254.169.254', 'never'],
    ['64:ff9b::a9fe:a9fe', 'never'],
    ['100.100.100.200', 'never'],
    ['0.0.0.0', 'never'],
    ['::', 'never'],
    ['::ffff:0.0.0.0', 'never'],
    ['224.0.0.1', 'never'],
    ['no address', 'never'],
  ])('%s is %s', (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });

  it.each([
    ['6to4', '2002:7f00:1::1', 'private'],
    ['6to4', '2002:a9fe:a9fe::', 'never'],
    ['6to4', '2002:808:808::1', 'public'],
    ['Teredo, by its client', '2001:0:808:808:0:0:80ff:fffe', 'private'],
    ['Teredo, by its server', '2001:0:a00:1:0:0:f7f7:f7f7', 'private'],
    ['Teredo, to a metadata service', '2001:0:808:808:0:0:5601:5601', 'never'],
    ['Teredo of public hosts', '2001:0:808:808:0:0:f7f7:f7f7', 'public'],
    ['IPv4-translated', '::ffff:0:a00:1', 'private'],
    ['ISATAP', '2001:db9::5efe:a00:1', 'private'],
    ['ISATAP with the universal bit', '2001:db9::200:5efe:a9fe:a9fe', 'never'],
    ['a NAT64 prefix of the local network', '64:ff9b:1::808:808', 'private'],
    ['a NAT64 prefix of /48', '64:ff9b:1:a9fe:a9:fe00::', 'never'],
    ['a NAT64 prefix of /96', '64:ff9b:1::a9fe:a9fe', 'never'],
    ['a NAT64 prefix of /48, whose zeros are not an address', '64:ff9b:1:a00:0:100::', 'private'],
  ])('counts as the IPv4 address inside %s: %s is %s', (_carrier, address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });
});

type Bytes = readonly [number, number, number, number];
const hex = (...bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
const group = fc.nat(0xffff).map((value) => value.toString(16));

/** Each way in which an IPv6 address can carry an IPv4 address, with any further content. */
const CARRIERS: readonly (readonly [string, (bytes: Bytes, extra: readonly string[]) => string])[] = [
  ['mapped', ([a, b, c, d]) => `::ffff:${a}.${b}.${c}.${d}`],
  ['compatible', ([a, b, c, d]) => `::${hex(a, b)}:${hex(c, d)}`],
  ['translated', ([a, b, c, d]) => `::ffff:0:${hex(a, b)}:${hex(c, d)}`],
  ['NAT64', ([a, b, c, d]) => `64:ff9b::${hex(a, b)}:${hex(c, d)}`],
  ['6to4', ([a, b, c, d], [e, f]) => `2002:${hex(a, b)}:${hex(c, d)}:${e}:0:0:0:${f}`],
  [
    'a Teredo client',
    ([a, b, c, d], [e, f]) => `2001:0:${e}:${f}:0:0:${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}`,
  ],
  ['a Teredo server', ([a, b, c, d], [e, f]) => `2001:0:${hex(a, b)}:${hex(c, d)}:0:0:${e}:${f}`],
  ['ISATAP', ([a, b, c, d], [e]) => `2a01:${e}:0:0:0:5efe:${hex(a, b)}:${hex(c, d)}`],
  ['ISATAP, universal', ([a, b, c, d], [e]) => `2a01:${e}:0:0:200:5efe:${hex(a, b)}:${hex(c, d)}`],
  ['local NAT64 /48', ([a, b, c, d]) => `64:ff9b:1:${hex(a, b)}:${hex(0, c)}:${hex(d, 0)}:0:0`],
  [
    'local NAT64 /56',
    ([a, b, c, d], [e]) => {
      const low = Number.parseInt(e ?? '0', 16) & 255;
      return `64:ff9b:1:${hex(low, a)}:${hex(0, b)}:${hex(c, d)}:0:0`;
    },
  ],
  ['local NAT64 /64', ([a, b, c, d], [e]) => `64:ff9b:1:${e}:${hex(0, a)}:${hex(b, c)}:${hex(d, 0)}:0`],
  ['local NAT64 /96', ([a, b, c, d], [e, f]) => `64:ff9b:1:${e}:0:${f}:${hex(a, b)}:${hex(c, d)}`],
];
const BYTE = fc.nat(255);
const IPV4: fc.Arbitrary<Bytes> = fc.oneof(
  fc.tuple(BYTE, BYTE, BYTE, BYTE),
  fc.constantFrom<Bytes>([127, 0, 0, 1], [10, 0, 0, 1], [192, 168, 1, 1], [169, 254, 169, 254], [8, 8, 8, 8]),
);

describe.each(CARRIERS)('any IPv4 address inside %s', (_name, carry) => {
  it('gets the verdict of the IPv4 address or a stricter one', () => {
    fc.assert(
      fc.property(IPV4, fc.array(group, { minLength: 2, maxLength: 2 }), (bytes, extra) => {
        // 0.0.0.0/8 names no host, and ::1 does not carry 0.0.0.1.
        fc.pre(bytes[0] !== 0);
        const own = addressKind(bytes.join('.'));
        const carried = addressKind(carry(bytes, extra));
        expect(stricterKind(own, carried)).toBe(carried);
      }),
      { numRuns: 300 },
    );
  });
});
