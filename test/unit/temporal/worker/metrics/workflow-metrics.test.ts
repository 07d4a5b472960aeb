import { expect, it } from '@jest/globals';
import { systemClock } from '../../../../../api/clock';
import { REPORT_WORKFLOW } from '../../../../../temporal/contract/failure-report';
import type { WorkflowEnded } from '../../../../../temporal/contract/telemetry';
import { METRICS } from '../../../../../temporal/worker/metrics/metric-names';
import { createMetricsRegistry } from '../../../../../temporal/worker/metrics/registry';
import { createWorkflowMetrics } from '../../../../../temporal/worker/metrics/workflow-metrics';

type News = Pick<WorkflowEnded, 'outcome' | 'schedule' | 'endedAt'>;

/** Lines of the page about reports, without the metric's name. */
async function shownAfter(news: readonly News[]): Promise<string[]> {
  const registry = await createMetricsRegistry();
  const metrics = createWorkflowMetrics(registry, systemClock);
  for (const one of news) {
    metrics.ended({ workflowType: REPORT_WORKFLOW, accountId: 'acme', startedAt: 0, ...one });
  }
  const { text } = await registry.page();
  const begin = `${METRICS.reportEnd.name}{`;
  return text
    .split('\n')
    .filter((line) => line.startsWith(begin))
    .map((line) => line.slice(begin.length).replaceAll('"', ''));
}

it.each<[string, readonly News[], readonly string[]]>([
  ['nothing about a run without a schedule', [{ outcome: 'failed', endedAt: 7_000 }], []],
  [
    'a first failure beside an end that was never good, so that the two can be compared',
    [{ outcome: 'failed', schedule: 'morning', endedAt: 7_000 }],
    [
      'account=acme,schedule=morning,outcome=completed} 0',
      'account=acme,schedule=morning,outcome=failed} 7',
      'account=acme,schedule=morning,outcome=cancelled} 0',
    ],
  ],
  [
    'the newest end of each outcome and schedule',
    [
      { outcome: 'completed', schedule: 'morning', endedAt: 1_000 },
      { outcome: 'failed', schedule: 'morning', endedAt: 2_000 },
      { outcome: 'completed', schedule: 'weekly', endedAt: 2_500 },
      { outcome: 'completed', schedule: 'morning', endedAt: 3_000 },
    ],
    [
      'account=acme,schedule=morning,outcome=completed} 3',
      'account=acme,schedule=morning,outcome=failed} 2',
      'account=acme,schedule=morning,outcome=cancelled} 0',
      'account=acme,schedule=weekly,outcome=completed} 2.5',
      'account=acme,schedule=weekly,outcome=failed} 0',
      'account=acme,schedule=weekly,outcome=cancelled} 0',
    ],
  ],
])('the metric of scheduled reports shows %s', async (_what, news, shown) => {
  expect(await shownAfter(news)).toEqual(shown);
});
