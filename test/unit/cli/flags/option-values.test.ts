import { InvalidArgumentError } from 'commander';
import {
  bytesOf,
  collect,
  flagValue,
  keyValue,
  listenAddress,
  millisecondsOf,
  wordOf,
  numberFrom,
} from '../../../../cli/flags/options';
import { rateFrom } from '../../../../settings/value-parsers';

test.each([
  ['5242880', 5_242_880],
  ['16MiB', 16_777_216],
  ['20 MB', 20_000_000],
  ['1.5gib', 1_610_612_736],
  ['600mb', 600_000_000],
])('the size %s is %i bytes', (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes);
});

test.each([
  ['8080', { port: 8080 }],
  ['10.0.0.7:8080', { host: '10.0.0.7', port: 8080 }],
  ['[::1]:65535', { host: '::1', port: 65_535 }],
  ['*:1', { host: '*', port: 1 }],
])('the address %s is %j', (text, address) => {
  expect(listenAddress(text)).toEqual(address);
});

test.each(['', '0', '65536', ':8080', '::1:8080', 'localhost:8080', '10.0.0.7', '[10.0.0.7]:8080', '80a'])(
  'the address "%s" is refused with an example of each form',
  (text) => {
    expect(() => listenAddress(text)).toThrow(
      'It must be a port or an IP address with a port, such as 8080, 10.0.0.7:8080, [::1]:8080 or *:8080.',
    );
  },
);

test('a rate may have a minimum, which the error for a smaller one names', () => {
  const rate = flagValue(rateFrom(65_536));
  expect(rate('65536')).toBe(65_536);
  expect(rate('50MB/s')).toBe(50_000_000);
  expect(() => rate('65535')).toThrow('It is below 64 KiB/s.');
});

test.each([
  ['1500', 1500],
  ['90s', 90_000],
  ['5m', 300_000],
  ['0.5h', 1_800_000],
])('the span %s is %i ms', (text, ms) => {
  expect(millisecondsOf(text)).toBe(ms);
});

test('a repeated flag collects its values in order, and a tag keeps further equals signs', () => {
  const add = collect(keyValue);
  expect(add('b=2=3', add('a=1', undefined))).toEqual([
    ['a', '1'],
    ['b', '2=3'],
  ]);
});

test('words are accepted in any case', () => {
  expect(wordOf(['LOW', 'NORMAL', 'HIGH'])('high')).toBe('HIGH');
});

test.each<[string, () => unknown]>([
  ['a size that is not a number', () => bytesOf('big')],
  ['a size of 0', () => bytesOf('0')],
  ['a size of an unknown unit', () => bytesOf('5 parsecs')],
  ['a negative size', () => bytesOf('-5MiB')],
  ['a span of an unknown unit', () => millisecondsOf('5y')],
  ['a tag without a value', () => keyValue('project')],
  ['a tag with an empty value', () => keyValue('project=')],
  ['a tag without a name', () => keyValue('=apollo')],
  ['a size of 1001', () => numberFrom(0, 1000)('1001')],
  ['an unknown word', () => wordOf(['LOW'])('medium')],
])('a wrong value is refused: %s', (_label, parse) => {
  expect(parse).toThrow(InvalidArgumentError);
});
