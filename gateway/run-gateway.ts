import { once } from 'node:events';
import { HOUR_MS, systemClock } from '../api/clock';
import type { Clock } from '../api/clock';
import { createUndiciTransport } from '../api/transport/undici-transport';
import { createS3 } from '../files/s3/s3-client';
import { connectTemporal } from '../temporal/client/connect';
import { installRuntime } from '../temporal/worker/json-log';
import { DEFAULT_QUEUE_PREFIX } from '../temporal/upload/types';
import { BATCH_ROUTES } from './batches';
import { createAdmission } from './admission';
import type { GatewayConfig } from './gateway-config';
import { FILES_ROUTE } from './files';
import { sweepKept } from './kept-files';
import type { GatewayContext } from './route';
import { pollPosts } from './post-workers';
import { RESULTS_ROUTE } from './results';
import { startServer } from './server';
import { readTokens } from './tokens';
import { UPLOAD_ROUTES } from './uploads';
import { WAIT_ROUTES } from './waits';

export interface GatewayControl {
  /** Stops the gateway. */
  readonly signal: AbortSignal;
  /** Called with the address, when requests are answered. */
  readonly onReady?: (url: string) => void;
  /** Writes a log line. Default: standard error. */
  readonly writeLog?: (line: string) => void;
  /** Default: the system's clock. */
  readonly clock?: Clock;
}

/**
 * Answers requests until `signal` aborts. Rejects with `Configuration` or `TemporalUnreachable` before anything is
 * answered. Closes everything in both cases.
 */
export async function runGateway(config: GatewayConfig, control: GatewayControl): Promise<void> {
  const logger = installRuntime(config.logLevel ?? 'info', control.writeLog);
  const admission = createAdmission(config);
  const { worker, queuePrefix = DEFAULT_QUEUE_PREFIX } = config;
  const s3 = createS3(config.s3);
  const transport = createUndiciTransport();
  const connection = await connectTemporal(config.temporal);
  const { signal, onReady, clock = systemClock } = control;
  const ended = new AbortController();
  const stopping = AbortSignal.any([signal, ended.signal]);
  try {
    const files = { roots: worker?.roots ?? [], outputRoots: worker?.outputRoots ?? [], s3 };
    const routes = [...UPLOAD_ROUTES, FILES_ROUTE, ...BATCH_ROUTES, RESULTS_ROUTE, ...WAIT_ROUTES];
    const context = { config, connection, stopping, queuePrefix, files, clock, transport };
    const server = await startServer({
      context,
      admission,
      routes,
      onError: (error, { method, path }) => {
        logger.error('A request failed', { method, path, error });
      },
    });
    logger.info('Requests are answered', { url: server.url });
    // Its entries may come later: `tokens create` often runs beside the gateway.
    const refused = (error: unknown): void => {
      logger.warn('Requests are refused until the file of tokens can be read', { error });
    };
    if (config.tokensFile !== undefined) await readTokens(config.tokensFile).catch(refused);
    const sweeps = sweepHourly(context, (error) => {
      logger.warn("Files that clients sent can't be cleaned up", { error });
    });
    const stopped = stopping.aborted ? undefined : once(stopping, 'abort');
    const posts = config.postTo === undefined ? stopped : pollPosts(context);
    try {
      onReady?.(server.url);
      await Promise.race([stopped, posts]);
    } finally {
      ended.abort();
      await server.close();
      await Promise.allSettled([posts, sweeps]);
    }
  } finally {
    await connection.close();
    await transport.close();
    s3.close();
  }
}

/** Until the gateway stops. */
async function sweepHourly(context: GatewayContext, onError: (error: unknown) => void): Promise<void> {
  const { clock, stopping } = context;
  while (!stopping.aborted) {
    await sweepKept(context, clock.now()).catch(onError);
    // It only fails when the gateway stops, which ends the loop.
    await clock.sleep(HOUR_MS, stopping).catch(() => undefined);
  }
}
