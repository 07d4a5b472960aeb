import { temporalProxy } from '../../../../temporal/client/temporal-network';

const NAMES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'] as const;
afterEach(() => {
  for (const name of NAMES) Reflect.deleteProperty(process.env, name);
});

test.each([
  [{}, undefined],
  [{ HTTPS_PROXY: 'http://one.example:3128', HTTP_PROXY: 'http://two.example' }, 'one.example:3128'],
  [{ HTTP_PROXY: 'http://two.example' }, 'two.example:80'],
  [{ ALL_PROXY: 'http://[::1]:3128' }, '[::1]:3128'],
  [{ ALL_PROXY: 'http://three.example:1', NO_PROXY: 'temporal.example:7233' }, undefined],
  [{ ALL_PROXY: 'http://three.example:1', NO_PROXY: 'temporal.example:443' }, 'three.example:1'],
])('with %j, Temporal is reached through %s', (env, address) => {
  Object.assign(process.env, env);
  expect(temporalProxy('temporal.example:7233')?.address).toBe(address);
});

test('user and password are given apart, colons in the password included', () => {
  process.env['HTTPS_PROXY'] = 'http://jo:a%3Ab%40c@proxy.example:3128';
  expect(temporalProxy('temporal.example:7233')?.login).toEqual({ username: 'jo', password: 'a:b@c' });
});

test("a proxy that speaks TLS is refused, because Temporal's libraries can't use it", () => {
  process.env['HTTPS_PROXY'] = 'https://jo:hunter2@proxy.example:3128';
  expect(() => temporalProxy('temporal.example:7233')).toThrow(
    expect.objectContaining({
      code: 'Configuration',
      message: "Temporal's libraries can't use the proxy https://proxy.example:3128, because it speaks TLS",
    }),
  );
});
