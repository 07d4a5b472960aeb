import { FaultBook, type FaultTarget, parseFault } from '../../../../simulator/faults/fault-book';

test.each([
  ['put-503', { remaining: 1 }],
  ['put-503:3', { remaining: 3 }],
  ['put-503:always', { remaining: Number.POSITIVE_INFINITY }],
  ['put-503:2:part=4,seconds=7', { remaining: 2, part: 4, seconds: 7 }],
  ['hold:part=2,bytes=1000000', { remaining: 1, part: 2, bytes: 1_000_000 }],
  ['put-trickle:rate=5', { remaining: 1, rate: 5 }],
  ['processing-failed:codec not supported', { reason: 'codec not supported' }],
  ['processing-failed:bad: a, b', { reason: 'bad: a, b' }],
  ['rate-limit-429:operation=start', { operation: 'start' }],
  ['login-skew:ms=1000', { ms: 1000 }],
])('%s can be read', (text, expected) => {
  expect(parseFault(text)).toMatchObject(expected);
});

test.each([
  ['no-such', 'There is no fault named "no-such".'],
  ['', 'There is no fault named "".'],
  ['hold:part=two', '"part" of the fault "hold:part=two" is not a whole number.'],
  ['hold:colour=red', 'The fault "hold:colour=red" has the unknown key "colour".'],
])('%j is refused', (text, message) => {
  expect(() => parseFault(text)).toThrow(message);
});

function book(...faults: string[]): (target: FaultTarget) => string | undefined {
  const faultBook = new FaultBook(() => undefined);
  for (const fault of faults) faultBook.arm(fault);
  return (target) => faultBook.take(target)?.definition.name;
}

test('a fault hits as many requests as its count says, if its filter matches', () => {
  const take = book('put-503:2:part=3');
  const put = (part: number): string | undefined => take({ operation: 'put', when: 'instead', part });
  expect([1, 3, 2, 3, 3].map(put)).toEqual([undefined, 'put-503', undefined, 'put-503', undefined]);
});

test('a fault for any operation skips login and storage, unless it names the operation', () => {
  const take = book('rate-limit-429:always');
  const when = 'instead' as const;
  expect(take({ operation: 'login', when })).toBeUndefined();
  expect(take({ operation: 'put', when })).toBeUndefined();
  expect(take({ operation: 'search', when })).toBe('rate-limit-429');
  expect(book('rate-limit-429:operation=login')({ operation: 'login', when })).toBe('rate-limit-429');
});
