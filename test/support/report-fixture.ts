import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { systemClock } from '../../api/clock';
import type { FailureReportResult } from '../../temporal/reports/types';
import { createSchedule } from '../../temporal/reports/client/create-schedule';
import { deleteSchedule, listSchedules } from '../../temporal/reports/client/describe-schedule';
import type { ScheduleView } from '../../temporal/reports/client/describe-schedule';
import type { ScheduleRequest } from '../../temporal/reports/client/report-schedule';
import { runSchedule } from '../../temporal/reports/client/run-report';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { useCredentials } from './aws-credentials';
import { CleanUp } from './clean-up';
import { startMailServer } from './mail-server';
import type { MailServer } from './mail-server';
import { sharedS3Client } from './s3-bucket';
import { sharedS3 } from './servers';
import { until } from './until';
import { openUploadFixture } from './upload-fixture';
import type { FixtureOptions, UploadFixture } from './upload-fixture';
import { startWebhookReceiver } from './webhook-receiver';
import type { WebhookReceiver } from './webhook-receiver';

export const SIGNING_KEY = 'a key that signs the posts of tests';
const LOGIN = { user: 'reports', pass: 'p@ss:word/1' };

/**
 * An account, a worker whose current day the test sets, a mail server, a webhook receiver, and schedules that are
 * deleted at the end.
 */
export interface ReportFixture {
  readonly fixture: UploadFixture;
  readonly mail: MailServer;
  readonly hook: WebhookReceiver;
  /** The current time for service and worker, ISO 8601. */
  setNow(iso: string): void;
  /** Adds a delivery that was sent at this time, by default a failed one. */
  deliver(sentAt: string, more?: Parameters<UploadFixture['simulator']['addDelivery']>[0]): void;
  /** Runs daily at a far hour in Berlin by default. */
  create(request: Partial<ScheduleRequest> & Pick<ScheduleRequest, 'id' | 'targets'>): Promise<ScheduleView>;
  /** Fires the schedule and waits for the end of its run. */
  run(id: string): Promise<FailureReportResult>;
  /** Resolves once Temporal lists the schedule, with a run if `wanted` says so. Its lists are updated late. */
  listed(id: string, wanted?: { readonly run: boolean }): Promise<void>;
  /** Makes a bucket of the shared S3 server, and returns its name. */
  makeBucket(purpose: string): Promise<string>;
  startWorker(change?: Partial<WorkerConfig>): Promise<() => Promise<void>>;
  /** Names of the files in a folder below the fixture's, sorted; none if the folder is missing. */
  files(folder: string): Promise<string[]>;
}

export type ReportFixtureOptions = Pick<FixtureOptions, 'simulator' | 'temporal'>;

/** A fixture without a worker; `close` ends it. */
export async function openReportFixture(
  options: ReportFixtureOptions = {},
): Promise<ReportFixture & { readonly close: () => Promise<void> }> {
  const cleanUp = new CleanUp();
  const opened = await cleanUp.orUndo(() => open(cleanUp, options));
  return { ...opened, close: () => cleanUp.run() };
}

export function useReportFixture({ worker = true } = {}): { readonly on: ReportFixture } {
  const { accessKey, secretKey } = sharedS3();
  useCredentials(accessKey, secretKey);
  const cleanUp = new CleanUp();
  let opened: ReportFixture | undefined;
  beforeAll(async () => {
    opened = await cleanUp.orUndo(() => open(cleanUp, {}));
    if (worker) await opened.startWorker();
  });
  afterAll(() => cleanUp.run());
  return {
    get on() {
      if (opened === undefined) throw new Error('The fixture is made before the first test.');
      return opened;
    },
  };
}

async function open(cleanUp: CleanUp, options: ReportFixtureOptions): Promise<ReportFixture> {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const fixture = await openUploadFixture({
    simulator: { now, seed: { media: 1, deliveries: 0 }, ...options.simulator },
    ...(options.temporal === undefined ? {} : { temporal: options.temporal }),
  });
  cleanUp.add(() => fixture.close());
  const mail = await startMailServer(LOGIN);
  cleanUp.add(() => mail.close());
  const hook = await startWebhookReceiver(SIGNING_KEY);
  cleanUp.add(() => hook.close());
  const secrets = join(fixture.folder, 'secrets.json');
  const smtp = `smtp://${LOGIN.user}:${encodeURIComponent(LOGIN.pass)}@${mail.address}`;
  await writeFile(secrets, JSON.stringify({ smtp, signing: SIGNING_KEY }));
  const created = new Set<string>();
  cleanUp.add(async () => {
    for (const id of created) {
      await deleteSchedule(fixture.connection, { accountId: fixture.accountId, id }).catch(() => undefined);
    }
  });
  return {
    fixture,
    mail,
    hook,
    setNow: (iso) => {
      ahead = Date.parse(iso) - Date.now();
    },
    deliver: (sentAt, more) => {
      fixture.simulator.addDelivery({ status: 'FAILED', sentAt, ...more });
    },
    create: (request) => {
      created.add(request.id);
      return createSchedule(fixture.connection, {
        account: fixture.account,
        queuePrefix: fixture.queuePrefix,
        request: {
          timing: { at: farHour() },
          zone: 'Europe/Berlin',
          ...(request.targets.some((target) => target.startsWith('mail:'))
            ? { smtpSecret: 'smtp', mailFrom: 'reports@example.org' }
            : {}),
          ...(request.targets.some((target) => target.startsWith('http'))
            ? { webhookSecret: 'signing' }
            : {}),
          ...request,
        },
        paths: { cwd: fixture.folder, host: fixture.config.host },
      });
    },
    run: async (id) => (await runSchedule(fixture.connection, { accountId: fixture.accountId, id })).result(),
    async listed(id, { run } = { run: false }) {
      await until(
        `the schedule ${id} is listed`,
        () => listSchedules(fixture.connection, { accountId: fixture.accountId }),
        (listed) => listed.some((each) => each.id === id && (!run || each.lastRuns.length > 0)),
      );
    },
    async makeBucket(purpose) {
      const bucket = `${purpose}-${randomBytes(6).toString('hex')}`;
      await createBucket(bucket);
      return bucket;
    },
    startWorker: (change) =>
      fixture.startWorker({ secrets, s3: s3Settings(), ...change }, undefined, {
        clock: { now, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) },
      }),
    files: async (folder) => (await readdir(join(fixture.folder, folder)).catch(() => [])).sort(),
  };
}

/** An hour in Europe or UTC that does not come while a test runs, so that no schedule fires by itself. */
export function farHour(): string {
  return `${String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')}:00`;
}

async function createBucket(Bucket: string): Promise<void> {
  const client = sharedS3Client();
  await client.send(new CreateBucketCommand({ Bucket }));
  client.destroy();
}

function s3Settings(): { endpoint: string; region: string } {
  const { endpoint, region } = sharedS3();
  return { endpoint, region };
}
