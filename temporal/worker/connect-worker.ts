import { NativeConnection } from '@temporalio/worker';
import { tlsOf, unreachable } from '../client/connect';
import type { TemporalAddress } from '../client/connect';
import { errorOfRpc } from '../client/rpc-failure';

/**
 * The worker's own connection. Whoever opens it closes it. Rejects with `TemporalUnreachable`, which names the address where nobody
 * answers, or with `Configuration` where that server has no such namespace or refuses the key.
 */
export async function connectWorker(at: TemporalAddress): Promise<NativeConnection> {
  const tls = tlsOf(at);
  const connection = await NativeConnection.connect({
    address: at.address,
    ...(tls === undefined ? {} : { tls }),
    ...(at.apiKey === undefined ? {} : { apiKey: at.apiKey }),
  }).catch((error: unknown) => {
    throw unreachable(at, error);
  });
  try {
    await connection.workflowService.describeNamespace({ namespace: at.namespace });
    return connection;
  } catch (error) {
    await connection.close();
    throw errorOfRpc(at, undefined, error);
  }
}
