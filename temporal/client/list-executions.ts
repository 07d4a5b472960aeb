import type { WorkflowExecutionDescription, WorkflowExecutionInfo } from '@temporalio/client';
import { given } from '../../api/json';
import { unreadableKeyOf } from '../codec';
import { controlQueue, DEFAULT_QUEUE_PREFIX } from '../upload/types';
import type { TemporalConnection } from './connect';
import { askTemporal, errorOfRpc } from './rpc-failure';

const DEFAULT_LIMIT = 100;

/** The caller's own filters drop executions. With tiny pages, each dropped one would cost a call. */
const MIN_PAGE = 100;
const MAX_PAGE = 1000;

/** The status of a workflow in lists, and its name in Temporal's queries. */
const STATUSES = {
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  CANCELLED: 'Canceled',
  TERMINATED: 'Terminated',
  TIMED_OUT: 'TimedOut',
} as const;

export type RunStatus = keyof typeof STATUSES;

export const RUN_STATUSES = Object.keys(STATUSES) as readonly RunStatus[];

/** What every list shows of a workflow. */
export interface Listing {
  readonly workflowId: string;
  readonly runId: string;
  /**
   * The status as Temporal names it: RUNNING, COMPLETED, FAILED, CANCELLED, TERMINATED, TIMED_OUT. `readExecution` also
   * knows CANCELLING.
   */
  readonly status: string;
  readonly startedAt: Date;
  /** Unset: it has not ended. */
  readonly closedAt?: Date;
  /** The id of the codec key that encrypts the memo, and is missing here. Then what it says is missing. */
  readonly unreadable?: string;
}

/** What every list can choose. */
export interface ListChoice {
  /** Only those of this account. Default: all of the namespace. */
  readonly accountId?: string;
  /** Needed to find an account's queue. Default `media-service`. */
  readonly queuePrefix?: string;
  /** Only those with one of these. Default: all. */
  readonly status?: readonly RunStatus[];
  /** Only those whose label or batch id contains this text, in upper or lower case. */
  readonly name?: string;
  /**
   * Only those that ended within [from, to), epoch ms, with or without success. They come in the order of their ends,
   * latest first.
   */
  readonly ended?: { readonly from: number; readonly to: number } | undefined;
  /** Default 100. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Adds what the memo says to what lists show of every workflow. */
type ShownAs<Shown> = (listing: Listing, memo: Readonly<Record<string, unknown>>) => Shown;

/** Whether a workflow has not ended. An operator can also pause it in Temporal. */
export function isOpen({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return status.name === 'RUNNING' || status.name === 'PAUSED';
}

/** A running workflow was asked to cancel, and has not ended yet. Only descriptions know it, lists don't. */
export function isCancelling({ status, raw }: WorkflowExecutionDescription): boolean {
  return status.name === 'RUNNING' && raw.workflowExtendedInfo?.cancelRequested === true;
}

/** The execution without what could not be read. */
function shownAs<Shown>(execution: Omit<WorkflowExecutionInfo, 'raw'>, show: ShownAs<Shown>): Shown {
  const memo = Object.entries(execution.memo ?? {});
  const [unreadable] = memo.flatMap(([, value]) => unreadableKeyOf(value) ?? []);
  const known = memo.filter(([, value]) => unreadableKeyOf(value) === undefined);
  const { workflowId, runId, status, startTime: startedAt, closeTime: closedAt } = execution;
  const listing = { workflowId, runId, status: status.name, startedAt, ...given({ closedAt, unreadable }) };
  return show(listing, Object.fromEntries(known));
}

/**
 * One workflow as lists show it: its latest run. Rejects with `RequestRefused` if Temporal does not know it (any more).
 */
export async function readExecution<Shown>(
  connection: TemporalConnection,
  workflowId: string,
  show: ShownAs<Shown>,
): Promise<Shown> {
  return askTemporal(connection, workflowId, async () => {
    const description = await connection.lister.workflow.getHandle(workflowId).describe();
    const shown = shownAs(description, show);
    return isCancelling(description) ? { ...shown, status: 'CANCELLING' } : shown;
  });
}

/**
 * Executions that meet these conditions of a visibility query, in Temporal's order: first those that run, then the
 * others, latest end first. Reads the index, which can lag by seconds. If `show` returns undefined, the execution is
 * left out.
 */
export async function listExecutions<Shown>(
  connection: TemporalConnection,
  conditions: readonly string[],
  {
    accountId,
    queuePrefix = DEFAULT_QUEUE_PREFIX,
    status,
    ended,
    limit = DEFAULT_LIMIT,
    signal,
    show,
  }: ListChoice & { readonly show: ShownAs<Shown | undefined> },
): Promise<Shown[]> {
  const statuses = status?.map((one) => quoted(STATUSES[one])).join(', ');
  const query = [
    ...conditions,
    ...(statuses === undefined ? [] : [`ExecutionStatus IN (${statuses})`]),
    ...(accountId === undefined ? [] : [`TaskQueue = ${quoted(controlQueue(queuePrefix, accountId))}`]),
    ...(ended === undefined ? [] : [`CloseTime >= ${time(ended.from)} AND CloseTime < ${time(ended.to)}`]),
  ].join(' AND ');
  const pageSize = Math.min(Math.max(limit, MIN_PAGE), MAX_PAGE);
  const found: Shown[] = [];
  try {
    for await (const execution of connection.lister.workflow.list({ query, pageSize })) {
      signal?.throwIfAborted();
      if (found.length >= limit) break;
      const shown = shownAs(execution, show);
      if (shown !== undefined) found.push(shown);
    }
    return found;
  } catch (error) {
    throw errorOfRpc(connection, undefined, error);
  }
}

/** Whether a list shows what has this name. */
export function isNamed({ name = '' }: ListChoice, text = ''): boolean {
  return text.toLowerCase().includes(name.toLowerCase());
}

/** A text in the form that visibility queries use. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** A time in the form that visibility queries use. */
export function time(ms: number): string {
  return quoted(new Date(ms).toISOString());
}
