import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/pack';
import { DEPLOY } from '../deploy-files';
import { otherThanFiring } from './promtool';

const ALERTS = join(DEPLOY, 'prometheus', 'alerts.yaml');
const WORKER = 'instance="w1"';
const ACCOUNT = 'account="acme-studio-1a2b3c4d"';
const PARTS = 'task_queue="media-service.acme-studio-1a2b3c4d.transfer@edit.1"';
const PAGES = 'task_queue="media-service.acme-studio-1a2b3c4d.pages",worker_type="ActivityWorker"';
const WAIT = `temporal_activity_schedule_to_start_latency_seconds_bucket{${PARTS}`;
const ROWS = `media_service_uploads_ended_total{${ACCOUNT},kind="row"`;

/** Series of a fleet without problems: one value per minute for three hours. */
const HEALTHY = [
  `media_service_worker_ready{${WORKER}} 1x180`,
  `media_service_worker_draining{${WORKER}} 0x180`,
  `media_service_worker_info{${WORKER},version="0.1.0"} 1x180`,
  `temporal_workflow_task_execution_failed_total{${WORKER},workflow_type="uploadBatch",failure_reason="WorkflowError"} 1x180`,
  `${WAIT},le="1"} 0+10x180`,
  `${WAIT},le="+Inf"} 0+10x180`,
  `temporal_worker_task_slots_used{${PARTS},worker_type="ActivityWorker"} 4x180`,
  `temporal_worker_task_slots_used{${PAGES}} 2x180`,
  `media_service_part_bytes_total{${ACCOUNT}} 0+1000000x180`,
  `media_service_parts_total{${ACCOUNT},outcome="sent"} 0+20x180`,
  `media_service_parts_total{${ACCOUNT},outcome="failed"} 0+1x180`,
  `media_service_storage_concurrency{${WORKER},origin="https://storage"} 8x180`,
  // Busy now and then, which the concurrency can take.
  `media_service_part_retries_total{${WORKER},${ACCOUNT},code="StorageBusy"} 0+1x180`,
  `media_service_service_calls_total{${ACCOUNT},operation="search",status="200"} 0+30x180`,
  `media_service_service_calls_total{${ACCOUNT},operation="search",status="503"} 0+1x180`,
  `media_service_uploads_ended_total{${ACCOUNT},kind="single",outcome="completed",code="none"} 0+5x180`,
  `${ROWS},outcome="completed",code="none"} 0+5x180`,
  `${ROWS},outcome="failed",code="SourceMissing"} 0x180`,
  `media_service_batch_pauses_total{${ACCOUNT}} 0x180`,
  `media_service_session_polls_total{${ACCOUNT},outcome="still_processing"} 0+5x180`,
  `media_service_session_polls_total{${ACCOUNT},outcome="completed"} 0+5x180`,
  // A write that failed once, and succeeded when it was retried.
  `media_service_activity_failures_total{${ACCOUNT},activity="uploadPage",code="OutputFailed"} 0x90 1x90`,
  // A report that failed after an hour, and succeeded a minute later.
  `media_service_report_last_end_timestamp_seconds{${ACCOUNT},schedule="morning",outcome="failed"} 0x60 3600x120`,
  `media_service_report_last_end_timestamp_seconds{${ACCOUNT},schedule="morning",outcome="completed"} 60x61 3660x119`,
];

/** What must happen for each alert. A series replaces the one of HEALTHY that has the same name and labels. */
const TROUBLE: Readonly<Record<string, readonly string[]>> = {
  MediaServiceNoWorker: [`media_service_worker_ready{${WORKER}} 1x100 _x80`],
  MediaServiceWorkerNotReady: [
    `media_service_worker_ready{instance="w2"} 0x180`,
    `media_service_worker_draining{instance="w2"} 0x180`,
  ],
  MediaServiceTemporalUnreachable: [
    `temporal_long_request_failure_total{${WORKER},operation="PollActivityTaskQueue",status_code="UNAVAILABLE"} 0+6x180`,
  ],
  MediaServiceWorkflowTasksFail: [
    `temporal_workflow_task_execution_failed_total{${WORKER},workflow_type="uploadMedia",failure_reason="NonDeterminismError"} 0+1x180`,
  ],
  MediaServiceTasksWait: [
    `${WAIT},le="1"} 0x180`,
    `${WAIT},le="300"} 0+10x180`,
    `${WAIT},le="600"} 0+10x180`,
  ],
  MediaServiceVersionsMixed: [`media_service_worker_info{instance="w2",version="0.2.0"} 1x180`],
  MediaServicePartsFail: [`media_service_parts_total{${ACCOUNT},outcome="failed"} 0+5x180`],
  MediaServiceNothingSent: [`media_service_part_bytes_total{${ACCOUNT}} 5000x180`],
  MediaServiceStorageThrottles: [
    `media_service_storage_concurrency{${WORKER},origin="https://storage"} 1x180`,
    `media_service_part_retries_total{${WORKER},${ACCOUNT},code="StorageBusy"} 0+1x180`,
  ],
  MediaServiceLoginRefused: [
    `media_service_service_calls_total{${ACCOUNT},operation="login",status="401"} 0+1x180`,
  ],
  MediaServiceCallsFail: [
    `media_service_service_calls_total{${ACCOUNT},operation="search",status="503"} 0+5x180`,
  ],
  MediaServiceUploadsFail: [
    `media_service_uploads_ended_total{${ACCOUNT},kind="single",outcome="failed",code="SourceChanged"} 0+1x180`,
  ],
  MediaServiceProcessingStuck: [`media_service_session_polls_total{${ACCOUNT},outcome="completed"} 7x180`],
  MediaServiceBatchStalled: [`${ROWS},outcome="completed",code="none"} 0+5x30 155x150`],
  MediaServiceBatchPaused: [`media_service_batch_pauses_total{${ACCOUNT}} 0x150 1x30`],
  MediaServiceFolderFails: [
    `media_service_activity_failures_total{${ACCOUNT},activity="uploadPage",code="OutputFailed"} _x150 1+1x30`,
  ],
  MediaServiceReportFails: [
    `media_service_report_last_end_timestamp_seconds{${ACCOUNT},schedule="morning",outcome="failed"} 0x178 10680x2`,
  ],
};

const names = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
const keyOf = (series: string): string => series.slice(0, series.indexOf(' '));

/** The healthy fleet, with these series in place of its own. */
function fleetWith(series: readonly string[]): readonly string[] {
  const replaced = new Set(series.map(keyOf));
  return [...HEALTHY.filter((one) => !replaced.has(keyOf(one))), ...series];
}

/** What promtool finds instead of these alerts, and no others. */
const otherThan = async (names: readonly string[], series: readonly string[]): Promise<string> =>
  otherThanFiring(ALERTS, fleetWith(series), names);

describe('the alerts', () => {
  test('stay silent while all is well', async () => {
    expect(await otherThan([], [])).toBe('');
  });

  test.each(names)('%s fires only for its own problem', async (name) => {
    expect(await otherThan([name], TROUBLE[name] ?? [])).toBe('');
  });

  test('stay silent about a worker that drains', async () => {
    const draining = [
      `media_service_worker_ready{instance="w2"} 0x180`,
      `media_service_worker_draining{instance="w2"} 1x180`,
    ];
    expect(await otherThan([], draining)).toBe('');
  });

  test('stay silent about a concurrency of one when nothing is refused any more', async () => {
    const idle = `media_service_storage_concurrency{instance="w2",origin="https://storage"} 1x180`;
    expect(await otherThan([], [idle])).toBe('');
  });

  test.each([
    { what: 'has no page that runs', pages: '2x40 0x140', rows: '0+5x30 155x150' },
    { what: 'began within the hour', pages: '0x125 2x55', rows: '0x180' },
    { what: 'has a row in half an hour', pages: '2x180', rows: '0x30 1x30 2x30 3x30 4x30 5x30' },
  ])('stay silent about a batch that $what', async ({ pages, rows }) => {
    const series = [
      `temporal_worker_task_slots_used{${PAGES}} ${pages}`,
      `${ROWS},outcome="completed",code="none"} ${rows}`,
    ];
    expect(await otherThan([], series)).toBe('');
  });

  test('fire for failed rows although other uploads of the account succeed', async () => {
    const failed = `${ROWS},outcome="failed",code="UrlExpired"} 0+1x180`;
    expect(await otherThan(['MediaServiceUploadsFail'], [failed])).toBe('');
  });

  test('stay silent about a failed report after a week', async () => {
    const longAgo = `media_service_report_last_end_timestamp_seconds{${ACCOUNT},schedule="gone",outcome`;
    const never = [`${longAgo}="failed"} -600000x180`, `${longAgo}="completed"} -700000x180`];
    expect(await otherThan([], never)).toBe('');
  });

  test('fire for a report that failed and was never sent before', async () => {
    const first = `media_service_report_last_end_timestamp_seconds{${ACCOUNT},schedule="new",outcome="failed"} _x170 10200x10`;
    expect(await otherThan(['MediaServiceReportFails'], [first])).toBe('');
  });

  test('keep firing for a failed report when its worker restarted or ended since', async () => {
    const ended = `media_service_report_last_end_timestamp_seconds{${ACCOUNT},schedule="late",outcome`;
    const series = [`${ended}="failed"} 60x100 _x80`, `${ended}="completed"} 30x100 _x80`];
    expect(await otherThan(['MediaServiceReportFails'], series)).toBe('');
  });

  test('fire at the very first workflow task that fails on a worker', async () => {
    const series = `temporal_workflow_task_execution_failed_total{instance="w2",workflow_type="uploadMedia",failure_reason="NonDeterminismError"} _x170 1x10`;
    expect(await otherThan(['MediaServiceWorkflowTasksFail'], [series])).toBe('');
  });

  test('each have an entry in the runbook, which has no other entries', () => {
    const page = readFileSync(join(ROOT, 'docs', 'operations', 'runbook.md'), 'utf8');
    const entries = [...page.matchAll(/^## (MediaService\w+)$/gm)].map(([, name]) => name);
    expect(entries).toEqual(names);
    const links = [...readFileSync(ALERTS, 'utf8').matchAll(/runbook: docs\/operations\/runbook\.md#(\w+)/g)];
    expect(links.map(([, anchor]) => anchor)).toEqual(names.map((name) => name.toLowerCase()));
  });
});
