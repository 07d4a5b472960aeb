import { Agent as HttpAgent } from 'node:http';
import type { AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import type * as ClientModule from '@aws-sdk/client-s3';
import type * as StorageModule from '@aws-sdk/lib-storage';
import { ConfigurationError } from '../../api/errors';
import { keepIssuer } from '../../api/transport/certificate-issuer';
import { proxiesOf, proxyOf } from '../../api/transport/proxies';
import { openTunnel } from '../../api/transport/tunnel';

/** Loads the client with the first request: the library is large and optional. */
export async function loadS3Client(): Promise<typeof ClientModule> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch {
    throw notInstalled('@aws-sdk/client-s3');
  }
}

/** Loads the library that sends content of unknown length, in parts. */
export async function loadS3Upload(): Promise<typeof StorageModule> {
  try {
    return await import('@aws-sdk/lib-storage');
  } catch {
    throw notInstalled('@aws-sdk/lib-storage');
  }
}

function notInstalled(library: string): ConfigurationError {
  return new ConfigurationError(
    library,
    `the library "${library}" is not installed`,
    'Install what S3 needs: npm install @aws-sdk/client-s3 @aws-sdk/lib-storage',
  );
}

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
