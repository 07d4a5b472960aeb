import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import type { Delivery } from '../../simulator/webhooks/delivery';
import { createSchedule } from '../../temporal/reports/client/create-schedule';
import { deleteSchedule, listSchedules } from '../../temporal/reports/client/describe-schedule';
import type { ScheduleView } from '../../temporal/reports/client/describe-schedule';
import type { ScheduleRequest } from '../../temporal/reports/client/report-schedule';
import { runSchedule } from '../../temporal/reports/client/run-report';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { useCredentials } from './aws-credentials';
import { CleanUp } from './clean-up';
import { hastyClock } from './hasty-clock';
import { startMailServer } from './mail-server';
import { sharedS3Client } from './s3-bucket';
import { sharedS3 } from './servers';
import { until } from './until';
import { openUploadFixture } from './upload-fixture';
import type { FixtureOptions } from './upload-fixture';
import { startWebhookReceiver } from './webhook-receiver';

export const SIGNING_KEY = 'a key that signs the posts of tests';
const LOGIN = { user: 'reports', pass: 'p@ss:word/1' };

export type ReportFixture = Awaited<ReturnType<typeof open>>;

type ReportFixtureOptions = Pick<FixtureOptions, 'simulator' | 'temporal'>;

/** A fixture without a worker; `close` ends it. */
export async function openReportFixture(options: ReportFixtureOptions = {}) {
  const cleanUp = new CleanUp();
  const opened = await cleanUp.orUndo(() => open(cleanUp, options));
  return { ...opened, close: () => cleanUp.run() };
}

export function useReportFixture({ worker = true } = {}) {
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

/**
 * An account, a worker whose current day the test sets, a mail server, a webhook receiver, and schedules that are
 * deleted at the end.
 */
async function open(cleanUp: CleanUp, options: ReportFixtureOptions) {
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
  const { endpoint, region } = sharedS3();
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
    /** The current time for service and worker, ISO 8601. */
    setNow(iso: string): void {
      ahead = Date.parse(iso) - Date.now();
    },
    /** Adds a delivery that was sent at this time, by default a failed one. */
    deliver(sentAt: string, more: Partial<Delivery> = {}): void {
      fixture.simulator.addDelivery({ status: 'FAILED', sentAt, ...more });
    },
    /** Runs daily at a far hour in Berlin by default. */
    create(
      request: Partial<ScheduleRequest> & Pick<ScheduleRequest, 'id' | 'targets'>,
    ): Promise<ScheduleView> {
      created.add(request.id);
      const goesTo = (kind: string): boolean => request.targets.some((target) => target.startsWith(kind));
      return createSchedule(fixture.connection, {
        account: fixture.account,
        queuePrefix: fixture.queuePrefix,
        request: {
          timing: { at: farHour() },
          zone: 'Europe/Berlin',
          ...(goesTo('mail:') ? { smtpSecret: 'smtp', mailFrom: 'reports@example.org' } : {}),
          ...(goesTo('http') ? { webhookSecret: 'signing' } : {}),
          ...request,
        },
        paths: { cwd: fixture.folder, host: fixture.config.host },
      });
    },
    /** Fires the schedule and waits for the end of its run. */
    run: async (id: string) =>
      (await runSchedule(fixture.connection, { accountId: fixture.accountId, id })).result(),
    /** Resolves once Temporal lists the schedule, with a run if `run` says so. Its lists are updated late. */
    async listed(id: string, { run = false } = {}): Promise<void> {
      await until(
        `the schedule ${id} is listed`,
        () => listSchedules(fixture.connection, { accountId: fixture.accountId }),
        (listed) => listed.some((each) => each.id === id && (!run || each.lastRuns.length > 0)),
      );
    },
    /** Makes a bucket of the shared S3 server, and returns its name. */
    async makeBucket(purpose: string): Promise<string> {
      const Bucket = `${purpose}-${randomBytes(6).toString('hex')}`;
      const client = sharedS3Client();
      await client.send(new CreateBucketCommand({ Bucket }));
      client.destroy();
      return Bucket;
    },
    startWorker: (change?: Partial<WorkerConfig>) =>
      fixture.startWorker({ secrets, s3: { endpoint, region }, ...change }, undefined, {
        clock: { ...hastyClock, now },
      }),
    /** Names of the files in a folder below the fixture's, sorted; none if the folder is missing. */
    files: async (folder: string) => (await readdir(join(fixture.folder, folder)).catch(() => [])).sort(),
  };
}

/** An hour in Europe or UTC that does not come while a test runs, so that no schedule fires by itself. */
export function farHour(): string {
  return `${String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')}:00`;
}
