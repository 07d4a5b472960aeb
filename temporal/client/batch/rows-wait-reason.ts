import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { WaitReason } from '../wait-reason';

type Described = Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>;

/** Workflow ids of a page's running rows, those that began first at the front. */
export function rowsOf({ raw }: Pick<Described, 'raw'>): string[] {
  return [...(raw.pendingChildren ?? [])]
    .sort((a, b) => Number(a.initiatedId ?? 0) - Number(b.initiatedId ?? 0))
    .flatMap(({ workflowId }) => (workflowId == null || workflowId === '' ? [] : [workflowId]));
}

/**
 * The most frequent reason of the waiting rows, and how many of the checked rows have it. Undefined if no row waits.
 */
export async function rowsWaitReason<Row>(
  rows: readonly Row[],
  reasonOf: (row: Row) => Promise<WaitReason | undefined>,
): Promise<WaitReason | undefined> {
  const looked = await Promise.all(rows.map(reasonOf));
  const waiting = looked.filter((obstacle) => obstacle !== undefined);
  const alike = (obstacle: WaitReason): number => waiting.filter(({ code }) => code === obstacle.code).length;
  const [frequent] = waiting.toSorted((a, b) => alike(b) - alike(a));
  if (frequent === undefined) return undefined;
  const how = `${alike(frequent)} of ${looked.length} checked ${looked.length === 1 ? 'row' : 'rows'}`;
  return { ...frequent, message: `${how} ${alike(frequent) === 1 ? 'waits' : 'wait'}: ${frequent.message}` };
}
