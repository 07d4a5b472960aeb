import { json } from 'node:stream/consumers';
import type { AccountsListener } from '../../api/account/account';
import { runWorker } from '../../temporal/worker/run-worker';
import type { WorkerControl } from '../../temporal/worker/run-worker';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { actAt, ADDED_AGAIN, dieAt } from './kill-point';
import type { KillPoint } from './kill-point';
import { LONG_LIMIT_MS, until } from './until';

export interface WorkerOrder {
  readonly config: WorkerConfig;
  readonly codePath: string;
  /** Default: the process runs until it is ended. */
  readonly killPoint?: KillPoint;
  /** Its accounts are removed at this point. When their work has ended, they are added again. */
  readonly removalPoint?: KillPoint;
}

function isOrder(value: unknown): value is WorkerOrder {
  return typeof value === 'object' && value !== null && 'config' in value && 'codePath' in value;
}

/** A worker that reads its settings from standard input, says when it polls, and ends cleanly on SIGTERM. */
async function main(): Promise<void> {
  const order: unknown = await json(process.stdin);
  if (!isOrder(order)) throw new Error('The worker process got no settings.');
  const { config, codePath, killPoint, removalPoint } = order;
  if (killPoint !== undefined) dieAt(killPoint);
  const control = removalPoint === undefined ? {} : removeAccountsAt(removalPoint, config);
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  await runWorker(config, {
    signal: stopping.signal,
    onReady: () => process.stdout.write('ready\n'),
    workflowBundle: { codePath },
    ...control,
  });
}

function removeAccountsAt(point: KillPoint, { accounts }: WorkerConfig): Partial<WorkerControl> {
  let listener: AccountsListener | undefined;
  let isEnded = false;
  let isRemoved = false;
  const [first] = accounts;
  if (first === undefined) throw new Error('There is no account to remove.');
  const other = { account: { ...first.account, externalId: 'another-account' } };
  const removeAndAdd = async (): Promise<void> => {
    const isServedNoMore = (): boolean => {
      listener?.onAccounts([other]);
      return isEnded;
    };
    await until('the work of the removed accounts has ended', isServedNoMore, Boolean, {
      limitMs: LONG_LIMIT_MS,
    });
    listener?.onAccounts(accounts);
    process.stderr.write(`${ADDED_AGAIN}\n`);
  };
  actAt(point, async () => {
    if (isRemoved) return;
    isRemoved = true;
    removeAndAdd().catch(fail);
  });
  return {
    watchAccounts: (given) => {
      listener = given;
      return () => undefined;
    },
    writeLog: (line) => {
      process.stderr.write(line);
      const { message, accounts: served, draining } = JSON.parse(line) as Record<string, unknown>;
      isEnded ||= message === 'The changed accounts are served' && served === 1 && draining === 0;
    },
  };
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}

main().catch(fail);
