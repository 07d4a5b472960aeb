import type { Clock } from '../../../api/clock';
import { BATCH_WORKFLOW } from '../../contract/batch';
import { UPLOAD_WORKFLOW } from '../../contract/upload';
import { REPORT_WORKFLOW } from '../../contract/failure-report';
import type { BatchRows, WorkflowEnded } from '../../contract/telemetry';
import type { MetricsRegistry } from './registry';

/** If another worker runs a batch now, this one gets no more reports of it. */
const FORGET_MS = 15 * 60_000;
const OUTCOMES = ['completed', 'failed', 'cancelled'] as const;
const STATES = ['completed', 'failed', 'cancelled', 'running', 'waiting'] as const;

/** Counts the ends that workflows report, and shows the progress of batches. */
interface WorkflowMetrics {
  ended(news: WorkflowEnded): void;
  batchRows(news: BatchRows): void;
  /** Call before the page is served. Forgets batches without a report for 15 minutes. */
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
      // An alert compares the outcomes, so the series of all outcomes must exist.
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
