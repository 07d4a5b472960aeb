import { createNamedSecrets } from '../../api/named-secrets';
import { createS3 } from '../../api/s3/s3-client';
import { systemClock } from '../../api/system-clock';
import type { Transport } from '../../api/transport/transport';
import { createAimdLimiters } from '../../api/upload/parts/aimd-limiter';
import type { AccountDeps, ActivityDeps } from '../activities/context/activity-deps';
import { createAccountRates } from '../activities/context/account-rates';
import { createDrain } from '../activities/context/drain';
import { createPartBandwidth } from '../activities/context/part-bandwidth';
import { createPartSlots } from '../activities/context/part-slots';
import { createPollSlots } from '../activities/context/poll-slots';
import { createStorageTurns } from '../activities/context/storage-turns';
import { unwatched } from '../activities/context/watch-step';
import type { WatchStep } from '../activities/context/watch-step';
import { createPartRate } from '../../api/upload/parts/part-rate';
import type { WorkQueue } from '../client/living-workers';
import { controlQueue, DEFAULT_QUEUE_PREFIX, transferQueue } from '../contract';
import { allAccountDeps } from './account-deps';
import type { ServiceMaking } from './account-deps';
import { queueKindOf } from './telemetry/task-facts';
import { DEFAULT_SHUTDOWN_GRACE_MS } from './worker-config';
import type { WorkerConfig } from './worker-config';
import { slotsOf } from './worker-parts';

export interface DepsParts extends Partial<Omit<ServiceMaking, 'transport'>> {
  /** Workers that take parts from any of these queues. Default: this one only. */
  readonly workersOf?: (queues: readonly WorkQueue[]) => Promise<number>;
  /** Time that a part waited for bandwidth, ms. */
  readonly onWaited?: (ms: number) => void;
  /** Default: nobody counts. */
  readonly watchStep?: WatchStep;
}

/** What the activities share, from plain settings. Throws `Configuration` where an account is malformed, missing or given twice. */
export function depsOf(
  config: WorkerConfig,
  transport: Transport,
  {
    clock = systemClock,
    workersOf = () => Promise.resolve(1),
    watchStep = unwatched,
    observe,
    onWaited,
  }: DepsParts = {},
): ActivityDeps & { readonly accounts: Map<string, AccountDeps> } {
  const rate = createPartRate();
  const slots = slotsOf(config);
  const { roots, sourceHosts = [], spoolDir, host, outputRoots = [] } = config;
  const { queuePrefix = DEFAULT_QUEUE_PREFIX } = config;
  const accounts = allAccountDeps(config.accounts, {
    transport,
    clock,
    ...(observe === undefined ? {} : { observe }),
  });
  return {
    accounts,
    host,
    roots,
    sourceHosts,
    ...(spoolDir === undefined ? {} : { spoolDir }),
    places: { roots, outputRoots, s3: createS3(config.s3) },
    secrets: createNamedSecrets(config.secrets),
    transport,
    // As many parts as this process can send at once: every account has slots of its own.
    limiters: createAimdLimiters({ max: () => accounts.size * (slots.transfer + slots.host) }),
    rate,
    bandwidth: createPartBandwidth({
      bytesPerSecond: config.bandwidth,
      clock: systemClock,
      workersOf: ({ accountId, queue }) =>
        workersOf([{ control: controlQueue(queuePrefix, accountId), queue }]),
      onWaited,
    }),
    ...ratesOf(config, accounts, workersOf),
    pollSlots: createPollSlots(slots.control),
    partSlots: createPartSlots((taskQueue) => slots[queueKindOf({ taskQueue })]),
    watchStep,
    drain: createDrain({
      clock: systemClock,
      graceMs: config.shutdownGraceMs ?? DEFAULT_SHUTDOWN_GRACE_MS,
      bytesPerSecond: () => rate.bytesPerSecond(),
    }),
  };
}

/** What workers share by their number. */
function ratesOf(
  { storageLimits: limits = {}, queuePrefix = DEFAULT_QUEUE_PREFIX }: WorkerConfig,
  accounts: ReadonlyMap<string, AccountDeps>,
  workersOf: NonNullable<DepsParts['workersOf']>,
): Pick<ActivityDeps, 'storageTurns' | 'accountRates'> {
  const control = (id: string): string => controlQueue(queuePrefix, id);
  // Every worker of an account serves its transfer queue, whatever queue a part came from.
  const transferQueues = (): WorkQueue[] =>
    [...accounts.keys()].map((id) => ({ control: control(id), queue: transferQueue(queuePrefix, id) }));
  return {
    storageTurns: createStorageTurns({
      limits,
      clock: systemClock,
      workers: () => workersOf(transferQueues()),
    }),
    accountRates: createAccountRates({
      clock: systemClock,
      limitsOf: (id) => accounts.get(id)?.limits ?? {},
      workersOf: (id, queue = control(id)) => workersOf([{ control: control(id), queue }]),
    }),
  };
}
