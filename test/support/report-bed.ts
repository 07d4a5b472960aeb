import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { systemClock } from '../../api/system-clock';
import type { FailureReportResult } from '../../temporal/contract/failure-report';
import { createSchedule } from '../../temporal/schedules/create-schedule';
import type { CreatedSchedule } from '../../temporal/schedules/create-schedule';
import type { ScheduleWish } from '../../temporal/schedules/report-schedule';
import { runSchedule } from '../../temporal/schedules/run-report';
import { deleteSchedule } from '../../temporal/schedules/steer-schedule';
import { CleanUp } from './clean-up';
import { startMailServer } from './mail-server';
import type { MailServer, MailServerOptions } from './mail-server';
import { sharedS3 } from './servers';
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
  /** Daily at 07:00 in Berlin unless told otherwise. */
  create(wish: Partial<ScheduleWish> & Pick<ScheduleWish, 'id' | 'targets'>): Promise<CreatedSchedule>;
  /** Fires the schedule and waits for the end of its run. */
  run(id: string): Promise<FailureReportResult>;
  /** Gives the named secrets of the worker these contents as well. */
  setSecrets(more: Readonly<Record<string, unknown>>): Promise<void>;
  startWorker(): Promise<() => Promise<void>>;
  /** Names of the files in a folder below the bed's, sorted; none where it is missing. */
  files(folder: string): Promise<string[]>;
  read(file: string): Promise<string>;
}

export function useReportBed(
  options: { readonly worker?: boolean; readonly mail?: MailServerOptions } = {},
): {
  readonly on: ReportBed;
} {
  const cleanUp = new CleanUp();
  let opened: ReportBed | undefined;
  beforeAll(async () => {
    opened = await cleanUp.orUndo(() => open(cleanUp, { login: LOGIN, ...options.mail }));
    if (options.worker !== false) await opened.startWorker();
  }, 60_000);
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
          timing: { every: '1d', at: '07:00' },
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
    run: async (id) =>
      (await runSchedule(bed.connection, { accountId: bed.accountId, id })).result(
        AbortSignal.timeout(50_000),
      ),
    setSecrets,
    startWorker: () =>
      bed.startWorker({ secrets, s3: s3Settings() }, undefined, {
        clock: { now, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) },
      }),
    files: async (folder) => (await readdir(join(bed.folder, folder)).catch(() => [])).sort(),
    read: (file) => readFile(join(bed.folder, file), 'utf8'),
  };
}

function s3Settings(): { endpoint: string; region: string; pathStyle: boolean } {
  const { endpoint, region } = sharedS3();
  return { endpoint, region, pathStyle: true };
}
