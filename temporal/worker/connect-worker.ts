import { NativeConnection } from '@temporalio/worker';
import { temporalProxy } from '../client/temporal-network';
import type { TemporalAddress } from '../client/temporal-network';
import { given } from '../../api/json';
import { tlsOf, unreachableBecause } from '../client/connect';
import { installRuntime } from './json-log';
import { errorOfNamespace } from '../client/rpc-failure';

/** Connects and disconnects, without any log. Rejects if a worker on this machine could not connect. */
export async function tryToConnect(at: TemporalAddress): Promise<void> {
  installRuntime('error', () => undefined);
  const connection = await connectWorker(at);
  await connection.close();
}

/**
 * The worker's own connection. The caller that opens it must close it. Rejects with `TemporalUnreachable`, which names
 * address and reason, if nobody answers. Rejects with `Configuration` if the server does not have the namespace or
 * refuses the key.
 */
export async function connectWorker(at: TemporalAddress): Promise<NativeConnection> {
  const tls = tlsOf(at);
  const proxy = temporalProxy(at.address);
  const connection = await NativeConnection.connect({
    address: at.address,
    ...given({ tls, apiKey: at.apiKey }),
    ...(proxy === undefined
      ? {}
      : { proxy: { type: 'http-connect', targetHost: proxy.address, ...given({ basicAuth: proxy.login }) } }),
  }).catch(async (error: unknown) => {
    throw await unreachableBecause(at, error);
  });
  try {
    await connection.workflowService.describeNamespace({ namespace: at.namespace });
    return connection;
  } catch (error) {
    await connection.close();
    throw errorOfNamespace(at, error);
  }
}
