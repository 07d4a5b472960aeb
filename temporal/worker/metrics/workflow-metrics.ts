import type { Clock } from '../../../api/clock';
import { BATCH_WORKFLOW } from '../../contract/batch';
import { UPLOAD_WORKFLOW } from '../../contract';
import { REPORT_WORKFLOW } from '../../contract/failure-report';
import type { BatchRows, WorkflowEnded } from '../../contract/telemetry';
import type { MetricsRegistry } from './registry';

/** A batch that another worker runs now tells nothing here any more. */
const FORGET_MS = 15 * 60_000;
const OUTCOMES = ['completed', 'failed', 'cancelled'] as const;
const STATES = ['completed', 'failed', 'cancelled', 'running', 'waiting'] as const;

/** Counts what workflows tell of their ends, and shows how batches stand. */
export interface WorkflowMetrics {
  ended(news: WorkflowEnded): void;
  batchRows(news: BatchRows): void;
  /** Before a page is shown: forgets batches that told nothing for 15 minutes. */
  refresh(): void;
}

export function createWorkflowMetrics(metrics: MetricsRegistry, clock: Clock): WorkflowMetrics {
  const batches = new Map<string, { readonly news: BatchRows; readonly at: number }>();
  const reports = new Set<string>();
  return {
    ended({ workflowType, accountId: account = 'none', outcome, code = 'none', schedule, endedAt }) {
      if (workflowType === UPLOAD_WORKFLOW) metrics.add('uploadsEnded', { account, outcome, code });
      if (workflowType === BATCH_WORKFLOW) metrics.add('batchesEnded', { account, outcome });
      if (workflowType !== REPORT_WORKFLOW || schedule === undefined) return;
      const key = `${account}/${schedule}`;
      // An alert compares the outcomes, and compares nothing with a series that is not there.
      if (!reports.has(key))
        for (const each of OUTCOMES) metrics.set('reportEnd', { account, schedule, outcome: each }, 0);
      reports.add(key);
      metrics.set('reportEnd', { account, schedule, outcome }, endedAt / 1000);
    },
    batchRows(news) {
      batches.set(`${news.accountId}/${news.batchId}`, { news, at: clock.now() });
    },
    refresh() {
      metrics.reset('batchRows');
      for (const [key, { news, at }] of batches) {
        if (clock.now() - at > FORGET_MS) batches.delete(key);
        else for (const state of STATES) show(metrics, news, state);
      }
    },
  };
}

function show(
  metrics: MetricsRegistry,
  { accountId: account, batchId: batch, counts }: BatchRows,
  state: (typeof STATES)[number],
): void {
  metrics.set('batchRows', { account, batch, state }, counts[state]);
}
