import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { keepIssuer } from '../../api/transport/certificate-issuer';
import { proxiesOf, proxyOf } from '../../api/transport/proxies';
import { openTunnel } from '../../api/transport/tunnel';

type Connected = (error: Error | null, socket: Duplex) => void;

/**
 * Agents for the S3 library, which knows no proxies: they connect through those of the process, also for plain http.
 * The error of a refused certificate carries its issuer.
 */
export function agentsFor(
  options: AgentOptions,
  timeoutMs: number,
): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  const [httpAgent, httpsAgent] = [new HttpAgent(options), new HttpsAgent(options)];
  const overTls = httpsAgent.createConnection.bind(httpsAgent);
  httpsAgent.createConnection = (to, done) => {
    const socket = overTls(to, done);
    keepIssuer(socket);
    return socket;
  };
  const { http, https, all } = proxiesOf();
  if (![http, https, all].some(Boolean)) return { httpAgent, httpsAgent };
  connectThrough('http', httpAgent, timeoutMs);
  connectThrough('https', httpsAgent, timeoutMs);
  return { httpAgent, httpsAgent };
}

function connectThrough(scheme: 'http' | 'https', agent: HttpAgent, timeoutMs: number): void {
  const direct = agent.createConnection.bind(agent);
  agent.createConnection = (to, done?: Connected) => {
    const host = to.host ?? '';
    const target = `${isIPv6(host) ? `[${host}]` : host}:${String(to.port)}`;
    const proxy = proxyOf(new URL(`${scheme}://${target}`));
    if (proxy === undefined) return direct(to, done);
    openTunnel(target, { proxy, timeoutMs }).then(
      (socket) => {
        // Speaks TLS over this socket instead of one of its own.
        const overTunnel = { ...to, socket };
        done?.(null, scheme === 'http' ? socket : (direct(overTunnel) ?? socket));
      },
      (error: unknown) => done?.(error as Error, undefined as unknown as Duplex),
    );
    return undefined;
  };
}
