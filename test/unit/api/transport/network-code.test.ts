import { networkCodeOf } from '../../../../api/transport/transport';

const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

it.each<[string, unknown, string | undefined]>([
  ['its own', refused, 'ECONNREFUSED'],
  ['its own first', Object.assign(new Error('x', { cause: reset }), { code: 'EPIPE' }), 'EPIPE'],
  ['that of its cause', new Error('fetch failed', { cause: refused }), 'ECONNREFUSED'],
  ['that of the first of several addresses', new AggregateError([refused, reset]), 'ECONNREFUSED'],
  ['that of addresses in its cause', new Error('x', { cause: new AggregateError([reset]) }), 'ECONNRESET'],
  ['none if it is a number', new DOMException('aborted', 'AbortError'), undefined],
  ['none if there is none', new Error('odd'), undefined],
  ['none of a text', 'ECONNREFUSED', undefined],
])('the code of a failed request is %s', (_which, error, code) => {
  expect(networkCodeOf(error)).toBe(code);
});
