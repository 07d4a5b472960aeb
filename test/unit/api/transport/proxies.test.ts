import { proxiesOf, proxyOf } from '../../../../api/transport/proxies';

const P = 'http://proxy.example:3128';

describe('the proxy for an address', () => {
  test.each([
    ['https://media.example/', {}, undefined],
    ['https://media.example/', { HTTPS_PROXY: P }, P],
    ['https://media.example/', { https_proxy: P, HTTPS_PROXY: 'http://other.example' }, P],
    ['https://media.example/', { https_proxy: '', HTTPS_PROXY: P }, P],
    ['https://media.example/', { HTTP_PROXY: P }, undefined],
    ['http://media.example/', { HTTPS_PROXY: P }, undefined],
    ['http://media.example/', { http_proxy: P }, P],
    ['http://media.example/', { ALL_PROXY: P }, P],
    ['https://media.example/', { all_proxy: 'socks5://socks.example:1080', HTTPS_PROXY: P }, P],
    ['https://media.example/', { HTTPS_PROXY: 'HTTPS://Proxy.example:443/' }, 'https://proxy.example'],
  ])('for %s in %j is %s', (url, env, origin) => {
    expect(proxyOf(new URL(url), proxiesOf(env))?.origin).toBe(origin);
  });

  test.each([
    ['*', 'https://media.example/', false],
    ['other.example, *', 'https://media.example/', false],
    ['*:80', 'https://media.example/', true],
    ['media.example', 'https://media.example/', false],
    ['MEDIA.example.', 'https://media.example./', false],
    ['media.example', 'https://eu.media.example/', false],
    ['.media.example', 'https://eu.media.example/', false],
    ['*.media.example', 'https://eu.media.example/', false],
    ['media.example', 'https://socialmedia.example/', true],
    ['media.example:443', 'https://media.example/', false],
    ['media.example:8443', 'https://media.example/', true],
    ['media.example:8443', 'https://media.example:8443/', false],
    ['a.example b.example\tmedia.example', 'https://media.example/', false],
    ['10.1.2.3', 'http://10.1.2.3:8000/', false],
    ['10.1.2.3:80', 'http://10.1.2.3:8000/', true],
    ['10.0.0.0/8', 'http://10.255.0.1/', false],
    ['10.0.0.0/8', 'http://11.0.0.1/', true],
    ['10.0.0.0/8:8000', 'http://10.255.0.1/', true],
    ['10.0.0.1-10.0.0.9', 'http://10.0.0.9/', false],
    ['10.0.0.1-10.0.0.9', 'http://10.0.0.10/', true],
    ['10.0.0.0/99', 'http://10.0.0.1/', true],
    ['my-host.example', 'http://10.0.0.1/', true],
    ['::1', 'http://[::1]:4100/', false],
    ['[::1]:4100', 'http://[::1]:4100/', false],
    ['[::1]:4101', 'http://[::1]:4100/', true],
    ['fd00::/8', 'http://[fd12::7]/', false],
    ['0.1', 'http://10.0.0.1/', true],
    ['', 'http://127.0.0.1/', true],
  ])('NO_PROXY=%s: %s goes through it: %s', (none, url, through) => {
    expect(proxyOf(new URL(url), { all: P, none }) !== undefined).toBe(through);
  });

  test('has user and password apart from what is shown', () => {
    expect(
      proxyOf(new URL('https://media.example/'), { https: 'http://j%C3%B6:p%40ss:word@proxy.example:3128' }),
    ).toEqual({
      origin: P,
      login: { username: 'jö', password: 'p@ss:word' },
      authorization: `Basic ${Buffer.from('jö:p@ss:word').toString('base64')}`,
    });
  });

  test.each([
    ['proxy.example:3128', "the proxy's address in HTTPS_PROXY does not begin with"],
    ['http//user:hunter2', "the proxy's address in HTTPS_PROXY does not begin with"],
    ['user:hunter2@10.0.0.1:3128', "the proxy's address in HTTPS_PROXY does not begin with"],
    ['http://user:hunter2#x@proxy.example:3128', "the proxy's address in HTTPS_PROXY does not begin with"],
    ['http://user:hunter2%@proxy.example:3128', 'the user or password of the proxy in HTTPS_PROXY has'],
    ['socks5://user:hunter2@proxy.example', "the proxy's address in HTTPS_PROXY does not begin with"],
  ])('is refused if its address is %s, and the error shows nothing of it', (https, message) => {
    expect(() => proxyOf(new URL('https://media.example/'), { https })).toThrow(
      expect.objectContaining({ code: 'Configuration', message: expect.stringContaining(message) }),
    );
    expect(() => proxyOf(new URL('https://media.example/'), { https })).not.toThrow(/hunter2|example/);
    // It is not needed for this one.
    expect(proxyOf(new URL('http://media.example/'), { https })).toBeUndefined();
  });
});
