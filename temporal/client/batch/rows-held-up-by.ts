import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { HeldUp } from '../held-up-by';

type Described = Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>;

/** Workflow ids of the rows that a page has running, those that began first in front. */
export function rowsOf({ raw }: Pick<Described, 'raw'>): string[] {
  return [...(raw.pendingChildren ?? [])]
    .sort((a, b) => Number(a.initiatedId ?? 0) - Number(b.initiatedId ?? 0))
    .flatMap(({ workflowId }) => (workflowId == null || workflowId === '' ? [] : [workflowId]));
}

/** What most of the rows that wait wait for, and how many of those looked at do; undefined where none waits. */
export async function rowsHeldUpBy<Row>(
  rows: readonly Row[],
  heldUpBy: (row: Row) => Promise<HeldUp | undefined>,
): Promise<HeldUp | undefined> {
  const looked = await Promise.all(rows.map(heldUpBy));
  const waiting = looked.filter((obstacle) => obstacle !== undefined);
  const alike = (obstacle: HeldUp): number => waiting.filter(({ code }) => code === obstacle.code).length;
  const [most] = waiting.toSorted((a, b) => alike(b) - alike(a));
  if (most === undefined) return undefined;
  const how = `${alike(most)} of ${looked.length} ${looked.length === 1 ? 'row' : 'rows'} looked at`;
  return { ...most, message: `${how} ${alike(most) === 1 ? 'waits' : 'wait'}: ${most.message}` };
}
