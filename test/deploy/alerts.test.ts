import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/pack';
import { createTempDir } from '../support/temp-dir';
import { DEPLOY, deployCheck } from './deploy-check';

const ALERTS = join(DEPLOY, 'prometheus', 'alerts.yaml');
const WORKER = 'instance="w1"';
const ACCOUNT = 'account="acme-studio-1a2b3c4d"';

/** Series of a fleet without problems: one value per minute for three hours. */
const HEALTHY = [
  `media_service_worker_ready{${WORKER}} 1x180`,
  `media_service_worker_draining{${WORKER}} 0x180`,
  `media_service_worker_info{${WORKER},version="0.1.0"} 1x180`,
  `temporal_workflow_task_execution_failed_total{${WORKER},workflow_type="uploadBatch",failure_reason="WorkflowError"} 1x180`,
  `media_service_task_wait_seconds_bucket{${ACCOUNT},queue="transfer",le="1"} 0+10x180`,
  `media_service_task_wait_seconds_bucket{${ACCOUNT},queue="transfer",le="+Inf"} 0+10x180`,
  `media_service_slots_used{${ACCOUNT},queue="transfer"} 4x180`,
  `media_service_part_bytes_total{${ACCOUNT}} 0+1000000x180`,
  `media_service_parts_total{${ACCOUNT},outcome="sent"} 0+20x180`,
  `media_service_parts_total{${ACCOUNT},outcome="failed"} 0+1x180`,
  `media_service_storage_concurrency{${WORKER},origin="https://storage"} 8x180`,
  // Busy now and then, which the concurrency can take.
  `media_service_part_retries_total{${WORKER},${ACCOUNT},code="StorageBusy"} 0+1x180`,
  `media_service_service_calls_total{${ACCOUNT},operation="search",status="200"} 0+30x180`,
  `media_service_service_calls_total{${ACCOUNT},operation="search",status="503"} 0+1x180`,
  `media_service_uploads_ended_total{${ACCOUNT},outcome="completed",code="none"} 0+5x180`,
  `media_service_session_polls_total{${ACCOUNT},outcome="still_processing"} 0+5x180`,
  `media_service_session_polls_total{${ACCOUNT},outcome="completed"} 0+5x180`,
  `media_service_batch_rows{${WORKER},${ACCOUNT},batch="b",state="completed"} 0+5x180`,
  `media_service_batch_rows{${WORKER},${ACCOUNT},batch="b",state="running"} 4x180`,
  `media_service_batch_rows{${WORKER},${ACCOUNT},batch="b",state="failed"} 0x180`,
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
    `media_service_task_wait_seconds_bucket{${ACCOUNT},queue="transfer",le="1"} 0x180`,
    `media_service_task_wait_seconds_bucket{${ACCOUNT},queue="transfer",le="300"} 0+10x180`,
    `media_service_task_wait_seconds_bucket{${ACCOUNT},queue="transfer",le="600"} 0+10x180`,
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
    `media_service_uploads_ended_total{${ACCOUNT},outcome="failed",code="SourceChanged"} 0+1x180`,
  ],
  MediaServiceProcessingStuck: [`media_service_session_polls_total{${ACCOUNT},outcome="completed"} 7x180`],
  // A worker forgets a batch that reports nothing for a quarter of an hour.
  MediaServiceBatchStalled: [
    `media_service_batch_rows{${WORKER},${ACCOUNT},batch="b",state="completed"} 0+5x90 455x15 _x75`,
    `media_service_batch_rows{${WORKER},${ACCOUNT},batch="b",state="running"} 4x105 _x75`,
    `media_service_batch_rows{${WORKER},${ACCOUNT},batch="b",state="failed"} 0x105 _x75`,
  ],
  MediaServiceBatchFails: [`media_service_batch_rows{${WORKER},${ACCOUNT},batch="b",state="failed"} 100x180`],
  MediaServiceFolderFails: [
    `media_service_activity_failures_total{${ACCOUNT},activity="uploadPage",code="OutputFailed"} _x150 1+1x30`,
  ],
  MediaServiceReportFails: [
    `media_service_report_last_end_timestamp_seconds{${ACCOUNT},schedule="morning",outcome="failed"} 0x178 10680x2`,
  ],
};

const names = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
const keyOf = (series: string): string => series.slice(0, series.indexOf(' '));

async function firing(cases: readonly (readonly string[])[]): Promise<readonly (readonly string[])[]> {
  const dir = await createTempDir('alerts');
  try {
    const file = join(dir.path, 'cases.json');
    await writeFile(file, JSON.stringify(cases));
    const { code, stdout, stderr } = await deployCheck('fires', ALERTS, file);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as string[][];
  } finally {
    await dir.remove();
  }
}

describe('the alerts', () => {
  let answers: readonly (readonly string[])[];

  beforeAll(async () => {
    const troubles = names.map((name) => {
      const series = TROUBLE[name] ?? [];
      const replaced = new Set(series.map(keyOf));
      return [...HEALTHY.filter((one) => !replaced.has(keyOf(one))), ...series];
    });
    answers = await firing([HEALTHY, ...troubles]);
  });

  test('stay silent while all is well', () => {
    expect(answers[0]).toEqual([]);
  });

  test.each(names.map((name, index) => ({ name, index })))('$name fires only for its own problem', (one) => {
    expect(answers[one.index + 1]).toEqual([one.name]);
  });

  test('stay silent about a worker that drains', async () => {
    const draining = [
      `media_service_worker_ready{instance="w2"} 0x180`,
      `media_service_worker_draining{instance="w2"} 1x180`,
    ];
    expect(await firing([[...HEALTHY, ...draining]])).toEqual([[]]);
  });

  test('stay silent about a concurrency of one when nothing is refused any more', async () => {
    const idle = `media_service_storage_concurrency{instance="w2",origin="https://storage"} 1x180`;
    expect(await firing([[...HEALTHY, idle]])).toEqual([[]]);
  });

  test.each([
    { what: 'has ended', rows: { completed: '0+5x90 455x15 _x75', running: '4x90 0x15 _x75' } },
    { what: 'began within the hour', rows: { completed: '_x130 0x50', running: '_x130 4x50' } },
    {
      what: 'has a row in half an hour',
      rows: { completed: '0x30 1x15 _x10 2x15 _x15 3x15 _x15 4x15 _x15 5x15 _x15', running: '4x180' },
    },
  ])('stay silent about a batch that $what', async ({ rows }) => {
    const series = Object.entries(rows).map(
      ([state, values]) =>
        `media_service_batch_rows{instance="w2",${ACCOUNT},batch="other",state="${state}"} ${values}`,
    );
    expect(await firing([[...HEALTHY, ...series]])).toEqual([[]]);
  });

  test('stay silent about a batch that ended on another worker than the one that began it', async () => {
    const rows = (instance: string, state: string, values: string): string =>
      `media_service_batch_rows{instance="${instance}",${ACCOUNT},batch="moved",state="${state}"} ${values}`;
    const series = [
      rows('w2', 'completed', '0+5x20 _x160'),
      rows('w2', 'running', '4x20 _x160'),
      rows('w3', 'completed', '_x20 100+5x20 _x140'),
      rows('w3', 'running', '_x20 4x15 0x5 _x140'),
    ];
    expect(await firing([[...HEALTHY, ...series]])).toEqual([[]]);
  });

  test('stay silent about a failed report after a week', async () => {
    const longAgo = `media_service_report_last_end_timestamp_seconds{${ACCOUNT},schedule="gone",outcome`;
    const never = [`${longAgo}="failed"} -600000x180`, `${longAgo}="completed"} -700000x180`];
    expect(await firing([[...HEALTHY, ...never]])).toEqual([[]]);
  });

  test('keep firing for a failed report when its worker restarted or ended since', async () => {
    const ended = `media_service_report_last_end_timestamp_seconds{${ACCOUNT},schedule="late",outcome`;
    const series = [`${ended}="failed"} 60x100 _x80`, `${ended}="completed"} 0x100 _x80`];
    expect(await firing([[...HEALTHY, ...series]])).toEqual([['MediaServiceReportFails']]);
  });

  test('fire at the very first workflow task that fails on a worker', async () => {
    const series = `temporal_workflow_task_execution_failed_total{instance="w2",workflow_type="uploadMedia",failure_reason="NonDeterminismError"} _x170 1x10`;
    expect(await firing([[...HEALTHY, series]])).toEqual([['MediaServiceWorkflowTasksFail']]);
  });

  test('each have an entry in the runbook, which has no other entries', () => {
    const page = readFileSync(join(ROOT, 'docs', 'operations', 'runbook.md'), 'utf8');
    const entries = [...page.matchAll(/^## (MediaService\w+)$/gm)].map(([, name]) => name);
    expect(entries).toEqual(names);
    const links = [...readFileSync(ALERTS, 'utf8').matchAll(/runbook: docs\/operations\/runbook\.md#(\w+)/g)];
    expect(links.map(([, anchor]) => anchor)).toEqual(names.map((name) => name.toLowerCase()));
  });
});
