import { once } from 'node:events';
import type { Logger } from '@temporalio/worker';
import { HOUR_MS, systemClock } from '../api/clock';
import { createUndiciTransport } from '../api/transport/undici-transport';
import { createS3 } from '../files/s3/s3-client';
import { connectTemporal } from '../temporal/client/connect';
import { DEFAULT_QUEUE_PREFIX } from '../temporal/upload/types';
import { installRuntime } from '../temporal/worker/json-log';
import type { WorkerControl } from '../temporal/worker/run-worker';
import { createAdmission } from './admission';
import { BATCH_ROUTES } from './batches';
import { FILES_ROUTE, sweepKept } from './files';
import type { GatewayConfig } from './gateway-config';
import { pollPosts } from './post-workers';
import type { GatewayContext } from './route';
import { startServer } from './server';
import { readTokens } from './tokens';
import { UPLOAD_ROUTES } from './uploads';
import { WAIT_ROUTES } from './waits';

export interface GatewayControl extends Pick<WorkerControl, 'signal' | 'writeLog' | 'clock'> {
  /** Called with the address, when requests are answered. */
  readonly onReady?: (url: string) => void;
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
    const routes = [...UPLOAD_ROUTES, FILES_ROUTE, ...BATCH_ROUTES, ...WAIT_ROUTES];
    const context = { config, connection, stopping, queuePrefix, files, clock, transport };
    const server = await startServer({ context, admission, routes, logger });
    logger.info('Requests are answered', { url: server.url });
    // Its entries may come later: `tokens create` often runs beside the gateway.
    const refused = (error: unknown): void => {
      logger.warn('Requests are refused until the file of tokens can be read', { error });
    };
    if (config.tokensFile !== undefined) await readTokens(config.tokensFile).catch(refused);
    const sweeps = sweepHourly(context, logger);
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
async function sweepHourly(context: GatewayContext, logger: Logger): Promise<void> {
  const { clock, stopping } = context;
  const onError = (error: unknown): void => {
    logger.warn("Files that clients sent can't be cleaned up", { error });
  };
  while (!stopping.aborted) {
    await sweepKept(context, clock.now()).catch(onError);
    // It only fails when the gateway stops, which ends the loop.
    await clock.sleep(HOUR_MS, stopping).catch(() => undefined);
  }
}
