import type { Env } from './env-reader';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Returns whether n8n's HTTP helper sends a request through a proxy. It follows the variables and rules of n8n's
 * library (proxy-from-env): HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in either case, and npm's own.
 */
export function goesThroughProxy(url: URL, env: Env = process.env): boolean {
  const first = (...names: readonly string[]): string =>
    names
      .flatMap((name) => [env[name.toLowerCase()], env[name.toUpperCase()]])
      .find((text) => text !== undefined && text !== '') ?? '';
  const scheme = url.protocol.slice(0, -1);
  const proxy = first(`npm_config_${scheme}_proxy`, `${scheme}_proxy`, 'npm_config_proxy', 'all_proxy');
  if (proxy === '') return false;
  const port = url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
  return !isExempt(url.hostname.toLowerCase(), port, first('npm_config_no_proxy', 'no_proxy').toLowerCase());
}

function isExempt(host: string, port: number, exempt: string): boolean {
  if (exempt === '*') return true;
  return exempt.split(/[,\s]/).some((entry) => {
    const [, name = entry, only] = /^(.+):(\d+)$/.exec(entry) ?? [];
    if (name === '' || (only !== undefined && Number(only) !== 0 && Number(only) !== port)) return false;
    if (!/^[.*]/.test(name)) return host === name;
    return host.endsWith(name.startsWith('*') ? name.slice(1) : name);
  });
}
