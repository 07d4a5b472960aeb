import { once } from 'node:events';
import { connectTemporal } from '../temporal/client/connect';
import { installRuntime } from '../temporal/worker/json-log';
import { DEFAULT_QUEUE_PREFIX } from '../temporal/upload/types';
import { createAdmission } from './admission';
import type { GatewayConfig } from './gateway-config';
import { startServer } from './server';
import { UPLOAD_ROUTES } from './uploads';

export interface GatewayControl {
  /** Stops the gateway. */
  readonly signal: AbortSignal;
  /** Called with the address, when requests are answered. */
  readonly onReady?: (url: string) => void;
  /** Writes a log line. Default: standard error. */
  readonly writeLog?: (line: string) => void;
}

/**
 * Answers requests until `signal` aborts. Rejects with `Configuration` or `TemporalUnreachable` before anything is
 * answered. Closes everything in both cases.
 */
export async function runGateway(config: GatewayConfig, control: GatewayControl): Promise<void> {
  const logger = installRuntime(config.logLevel ?? 'info', control.writeLog);
  const admission = createAdmission(config);
  const connection = await connectTemporal(config.temporal);
  const { signal: stopping, onReady } = control;
  try {
    const context = { config, connection, stopping, queuePrefix: config.queuePrefix ?? DEFAULT_QUEUE_PREFIX };
    const server = await startServer({
      context,
      admission,
      routes: UPLOAD_ROUTES,
      pages: { '/healthz': () => ({ ok: true }) },
      onError: (error, { method, path }) => {
        logger.error('A request failed', { method, path, error });
      },
    });
    logger.info('Requests are answered', { url: server.url });
    try {
      onReady?.(server.url);
      if (!stopping.aborted) await once(stopping, 'abort');
    } finally {
      await server.close();
    }
  } finally {
    await connection.close();
  }
}
