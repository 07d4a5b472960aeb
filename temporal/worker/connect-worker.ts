import { NativeConnection } from '@temporalio/worker';
import type { TemporalAddress } from '../contract/temporal-address';
import { given } from '../../api/json';
import { tlsOf, unreachableBecause } from '../client/connect';
import { errorOfNamespace } from '../client/rpc-failure';

/**
 * The worker's own connection. The caller that opens it must close it. Rejects with `TemporalUnreachable`, which names
 * address and reason, if nobody answers. Rejects with `Configuration` if the server does not have the namespace or
 * refuses the key.
 */
export async function connectWorker(at: TemporalAddress): Promise<NativeConnection> {
  const tls = tlsOf(at);
  const connection = await NativeConnection.connect({
    address: at.address,
    ...given({ tls, apiKey: at.apiKey }),
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
