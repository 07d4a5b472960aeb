import { randomBytes } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from '@jest/globals';
import { systemClock } from '../../api/system-clock';
import type { FailureReportResult } from '../../temporal/contract/failure-report';
import { createSchedule } from '../../temporal/schedules/create-schedule';
import type { CreatedSchedule } from '../../temporal/schedules/create-schedule';
import { listSchedules } from '../../temporal/schedules/list-schedules';
import type { ScheduleWish } from '../../temporal/schedules/report-schedule';
import { runSchedule, testSchedule } from '../../temporal/schedules/run-report';
import { deleteSchedule } from '../../temporal/schedules/control-schedule';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { useCredentials } from './aws-credentials';
import { CleanUp } from './clean-up';
import { startMailServer } from './mail-server';
import type { MailServer, MailServerOptions } from './mail-server';
import { sharedS3 } from './servers';
import { until } from './until';
import { openUploadBed } from './upload-bed';
import type { UploadBed } from './upload-bed';
import { startWebhookReceiver } from './webhook-receiver';
import type { WebhookReceiver } from './webhook-receiver';

export const SIGNING_KEY = 'a key that signs the posts of tests';
const LOGIN = { user: 'reports', pass: 'p@ss:word/1' };

/** An account, a worker whose days a test decides, a mail server, a receiver of webhooks, and schedules that are deleted in the end. */
export interface ReportBed {
  readonly bed: UploadBed;
  readonly mail: MailServer;
  readonly hook: WebhookReceiver;
  /** What service and worker take for now, ISO 8601. */
  setNow(iso: string): void;
  /** Adds a failed delivery (or another one) that was sent then. */
  deliver(sentAt: string, more?: Parameters<UploadBed['simulator']['addDelivery']>[0]): void;
  /** Daily at a far hour in Berlin unless told otherwise. */
  create(wish: Partial<ScheduleWish> & Pick<ScheduleWish, 'id' | 'targets'>): Promise<CreatedSchedule>;
  /** Fires the schedule and waits for the end of its run. */
  run(id: string): Promise<FailureReportResult>;
  /** Resolves once Temporal lists the schedule, with a run where that is asked for: its lists lag. */
  listed(id: string, wanted?: { readonly run: boolean }): Promise<void>;
  /** Sends the test of the schedule and waits for its end. */
  test(id: string): Promise<FailureReportResult>;
  /** Makes a bucket of the shared S3 server; its name. */
  makeBucket(purpose: string): Promise<string>;
  /** 1, 2, 3 …: for names. */
  nextNumber(): number;
  /** Gives the named secrets of the worker these contents as well. */
  setSecrets(more: Readonly<Record<string, unknown>>): Promise<void>;
  startWorker(change?: Partial<WorkerConfig>): Promise<() => Promise<void>>;
  /** Names of the files in a folder below the bed's, sorted; none where it is missing. */
  files(folder: string): Promise<string[]>;
  read(file: string): Promise<string>;
  /** Resolves once the file holds the text. */
  noted(file: string, text: string): Promise<void>;
}

export function useReportBed(
  options: { readonly worker?: boolean; readonly mail?: MailServerOptions } = {},
): {
  readonly on: ReportBed;
} {
  const { accessKey, secretKey } = sharedS3();
  useCredentials(accessKey, secretKey);
  const cleanUp = new CleanUp();
  let opened: ReportBed | undefined;
  beforeAll(async () => {
    opened = await cleanUp.orUndo(() => open(cleanUp, { login: LOGIN, ...options.mail }));
    if (options.worker !== false) await opened.startWorker();
  });
  afterAll(() => cleanUp.run());
  return {
    get on() {
      if (opened === undefined) throw new Error('The bed is made before the first test.');
      return opened;
    },
  };
}

async function open(cleanUp: CleanUp, mailOptions: MailServerOptions): Promise<ReportBed> {
  let ahead = 0;
  let number = 0;
  const now = (): number => Date.now() + ahead;
  const bed = await openUploadBed({ simulator: { now, seed: { media: 1, deliveries: 0 } } });
  cleanUp.add(() => bed.close());
  const mail = await startMailServer(mailOptions);
  cleanUp.add(() => mail.close());
  const hook = await startWebhookReceiver(SIGNING_KEY);
  cleanUp.add(() => hook.close());
  const secrets = join(bed.folder, 'secrets.json');
  const { user, pass } = mailOptions.login ?? LOGIN;
  const smtp = `smtp://${encodeURIComponent(user)}:${encodeURIComponent(pass)}@${mail.address}`;
  const setSecrets = (more: Readonly<Record<string, unknown>>): Promise<void> =>
    writeFile(secrets, JSON.stringify({ smtp, signing: SIGNING_KEY, ...more }));
  await setSecrets({});
  const created = new Set<string>();
  cleanUp.add(async () => {
    for (const id of created) {
      await deleteSchedule(bed.connection, { accountId: bed.accountId, id }).catch(() => undefined);
    }
  });
  return {
    bed,
    mail,
    hook,
    setNow: (iso) => {
      ahead = Date.parse(iso) - Date.now();
    },
    deliver: (sentAt, more) => {
      bed.simulator.addDelivery({ status: 'FAILED', sentAt, ...more });
    },
    create: (wish) => {
      created.add(wish.id);
      return createSchedule(bed.connection, {
        account: bed.account,
        queuePrefix: bed.queuePrefix,
        wish: {
          timing: { every: '1d', at: farHour() },
          zone: 'Europe/Berlin',
          ...(wish.targets.some((target) => target.startsWith('mail:'))
            ? { smtpSecret: 'smtp', mailFrom: 'reports@example.org' }
            : {}),
          ...(wish.targets.some((target) => target.startsWith('http')) ? { webhookSecret: 'signing' } : {}),
          ...wish,
        },
        paths: { cwd: bed.folder, host: bed.config.host },
      });
    },
    run: async (id) => (await runSchedule(bed.connection, { accountId: bed.accountId, id })).result(),
    async listed(id, { run } = { run: false }) {
      await until(
        `the schedule ${id} is listed`,
        () => listSchedules(bed.connection, { accountId: bed.accountId }),
        (listed) => listed.some((each) => each.id === id && (!run || each.lastRun !== undefined)),
      );
    },
    test: async (id) => (await testSchedule(bed.connection, { accountId: bed.accountId, id })).result(),
    async makeBucket(purpose) {
      const bucket = `${purpose}-${randomBytes(6).toString('hex')}`;
      await createBucket(bucket);
      return bucket;
    },
    nextNumber: () => (number += 1),
    setSecrets,
    startWorker: (change) =>
      bed.startWorker({ secrets, s3: s3Settings(), ...change }, undefined, {
        clock: { now, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) },
      }),
    files: async (folder) => (await readdir(join(bed.folder, folder)).catch(() => [])).sort(),
    read: (file) => readFile(join(bed.folder, file), 'utf8'),
    async noted(file, text) {
      await until(
        `${file} holds ${text}`,
        () => readFile(join(bed.folder, file), 'utf8').catch(() => ''),
        (held) => held.includes(text),
      );
    },
  };
}

/** An hour in Europe or UTC that does not come while a test runs: no schedule fires by itself then. */
export function farHour(): string {
  return `${String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')}:00`;
}

async function createBucket(Bucket: string): Promise<void> {
  const { endpoint, region, accessKey, secretKey } = sharedS3();
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket }));
  client.destroy();
}

function s3Settings(): { endpoint: string; region: string; pathStyle: boolean } {
  const { endpoint, region } = sharedS3();
  return { endpoint, region, pathStyle: true };
}
