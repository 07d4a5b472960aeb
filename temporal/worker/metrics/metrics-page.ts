import type { MetricsRegistry } from './registry';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Values that are read when the page is requested, instead of being counted. */
export interface WorkerGauges {
  notReady(): readonly string[];
  isDraining(): boolean;
  /** Bytes per second. Undefined: unknown. */
  partRate(): number | undefined;
  /** By storage origin. */
  storageConcurrencies(): ReadonlyMap<string, number>;
  bandwidth(): number | undefined;
  slots(): readonly { readonly account: string; readonly queue: string; readonly slots: number }[];
}

export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

const CORE_TIMEOUT_MS = 2_000;

/** The page /metrics: our own metrics, then those of Temporal's core if it serves them at `coreAddress`. */
export async function metricsPage(
  metrics: MetricsRegistry,
  gauges: WorkerGauges,
  coreAddress: string | undefined,
): Promise<MetricsPage> {
  refresh(metrics, gauges);
  const [{ contentType, text }, core] = await Promise.all([metrics.page(), coreMetrics(coreAddress)]);
  return { contentType, text: `${text}\n${core}` };
}

function refresh(metrics: MetricsRegistry, gauges: WorkerGauges): void {
  metrics.set('workerReady', {}, gauges.notReady().length === 0 ? 1 : 0);
  metrics.set('workerDraining', {}, gauges.isDraining() ? 1 : 0);
  metrics.set('partRate', {}, gauges.partRate() ?? 0);
  metrics.set('bandwidthLimit', {}, gauges.bandwidth() ?? 0);
  for (const [origin, parts] of gauges.storageConcurrencies())
    metrics.set('storageConcurrency', { origin }, parts);
  metrics.reset('slots');
  for (const { account, queue, slots } of gauges.slots()) metrics.set('slots', { account, queue }, slots);
}

/** If the core does not answer, our own metrics must still be served. */
async function coreMetrics(address: string | undefined): Promise<string> {
  if (address === undefined) return '';
  try {
    const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(CORE_TIMEOUT_MS) });
    return await answer.text();
  } catch {
    return '';
  }
}

/** A free port of this machine's loopback, as `host:port`. Temporal's core does not accept port 0. */
export async function freeLoopbackAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('No free port was found.');
  return `127.0.0.1:${String(address.port)}`;
}
