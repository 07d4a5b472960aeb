import { addressKind } from '../../../../files/sources/allowed-host';

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
  // A carrier of an IPv4 address: 6to4, Teredo, IPv4-translated, IPv4-compatible, local NAT64.
  ['2002:808:808::1', 'private'],
  ['2001:0:808:808:0:0:5601:5601', 'private'],
  ['::ffff:0:808:808', 'private'],
  ['::808:808', 'private'],
  ['64:ff9b:1::808:808', 'private'],
  // These count as the IPv4 address in their end.
  ['64:ff9b::808:808', 'public'],
  ['64:ff9b::', 'never'],
  ['64:ff9b::7f00:0', 'private'],
  ['::ffff:8.8.8.8', 'public'],
])('the address of a source %s is %s', (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});
