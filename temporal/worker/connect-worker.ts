import { NativeConnection } from '@temporalio/worker';
import { tlsOf, unreachable } from '../client/connect';
import type { TemporalAddress } from '../client/connect';

/** The worker's own connection; `TemporalUnreachable` names the address where nobody answers. Whoever opens it closes it. */
export async function connectWorker(at: TemporalAddress): Promise<NativeConnection> {
  const tls = tlsOf(at);
  return NativeConnection.connect({
    address: at.address,
    ...(tls === undefined ? {} : { tls }),
    ...(at.apiKey === undefined ? {} : { apiKey: at.apiKey }),
  }).catch((error: unknown) => {
    throw unreachable(at.address, error);
  });
}
