import { BlockList, isIP } from 'node:net';
import { ConfigurationError } from '../errors';

/** Addresses of proxies by what they carry, and hosts that are reached without one, as in HTTPS_PROXY and NO_PROXY. */
export interface Proxies {
  readonly http?: string;
  readonly https?: string;
  /** For what has no proxy of its own. */
  readonly all?: string;
  /**
   * Hosts, separated by commas or blanks: `*`, a name with all names below it, an address, or a range of addresses
   * (`10.0.0.0/8`, `10.0.0.1-10.0.0.9`), each with or without a port.
   */
  readonly none?: string;
}

export interface Proxy {
  /** Without user and password, so it may be shown. */
  readonly origin: string;
  /** Unset: the proxy's address names no user. */
  readonly login?: { readonly username: string; readonly password: string };
  /** The header that has user and password. */
  readonly authorization?: string;
}

/**
 * Returns the proxy for an address, as curl chooses it. Undefined: it is reached directly. Throws a
 * `ConfigurationError` if the proxy's address can't be used; an address that is not needed is not looked at.
 */
export function proxyOf(url: URL, proxies: Proxies = proxiesOf()): Proxy | undefined {
  const own = url.protocol === 'https:' ? 'https' : 'http';
  const kind = hasText(proxies[own]) ? own : 'all';
  const address = proxies[kind];
  if (!hasText(address) || isExempt(url, proxies.none ?? '')) return undefined;
  return readProxy(`${kind.toUpperCase()}_PROXY`, address.trim());
}

/** The proxies of this process, as every program reads them: HTTPS_PROXY and its like, lower case first. */
export function proxiesOf(env: Readonly<Record<string, string | undefined>> = process.env): Proxies {
  const read = (name: string): string => env[`${name}_proxy`] || env[`${name.toUpperCase()}_PROXY`] || '';
  return { http: read('http'), https: read('https'), all: read('all'), none: read('no') };
}

function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function readProxy(name: string, address: string): Proxy {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new ConfigurationError(
      'proxy',
      `the proxy's address in ${name} does not begin with http:// or https://, or is no address`,
      'Write it as http://host:port. In user and password, write special characters as in URLs: "@" as %40.',
    );
  }
  const { origin, username, password } = new URL(address);
  if (username === '') return { origin };
  try {
    const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    const pair = Buffer.from(`${login.username}:${login.password}`);
    return { origin, login, authorization: `Basic ${pair.toString('base64')}` };
  } catch {
    throw new ConfigurationError(
      'proxy',
      `the user or password of the proxy in ${name} has a lone "%"`,
      'Write it as %25.',
    );
  }
}

function isExempt({ hostname, port, protocol }: URL, none: string): boolean {
  const host = bare(hostname);
  const usedPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return none
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, named = entry, only = usedPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      if (named === '' || only !== usedPort) return false;
      const name = bare(named);
      if (name === '*') return true;
      return isIP(host) === 0 ? host === name || host.endsWith(`.${name}`) : isWithin(host, name);
    });
}

/** Without brackets, without a final dot, and without what marks the names below a name. */
function bare(host: string): string {
  return host
    .replace(/^\[|\]$/g, '')
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
}

function isWithin(address: string, range: string): boolean {
  const list = new BlockList();
  const [first = '', bits] = range.split('/');
  const [from = '', to] = range.split('-');
  try {
    if (bits !== undefined) list.addSubnet(first, Number(bits), familyOf(first));
    else if (to !== undefined) list.addRange(from, to, familyOf(from));
    else list.addAddress(range, familyOf(range));
  } catch {
    // A name, which no address is within.
    return false;
  }
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
