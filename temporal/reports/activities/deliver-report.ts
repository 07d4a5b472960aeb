import { createHash } from 'node:crypto';
import type { DeliveryReport } from '../../../reports/report';
import type { ForAccount } from '../../upload/types';
import type { ReportSchedule, ReportTarget } from '../types';
import { accountOf } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import { byAnyWorker } from '../../worker/other-workers';
import { renderMail } from '../../../reports/mail/report-mail';
import { unseal, webhookUrlPurpose } from '../../seal';
import { postWebhook, signingKey } from './post-webhook';
import { reportFiles, reportJson, writeFiles } from './report-files';
import type { Sender } from './report-files';
import { sendMail } from './send-mail';
import type { Period } from '../../../reports/period/period';

type Delivery = ForAccount<{
  readonly schedule: ReportSchedule;
  readonly target: ReportTarget;
  readonly report: DeliveryReport;
}>;

/**
 * Delivers the report to one target once, and resolves with its location or id there. A try without an answer is
 * repeated under the same name, so that the receiver can recognise it.
 */
export function deliverReport(deps: ActivityDeps) {
  return ({ accountId, schedule, target, report }: Delivery): Promise<string> =>
    byAnyWorker(deps.identity, async (signal) => {
      const sender = { schedule: schedule.id, accountId };
      const name = deliveryName({ ...sender, target: target.key, period: report });
      switch (target.kind) {
        case 'mail': {
          if (schedule.mail === undefined)
            throw new Error('A schedule with a mail target has mail settings.');
          const mail = renderMail(report);
          // Rendering can take a while. If this try was abandoned meanwhile, its successor sends the mail.
          signal.throwIfAborted();
          return sendMail(deps.secrets, { settings: schedule.mail, to: target.address, mail, name });
        }
        case 'webhook': {
          const { service, sealKeys } = accountOf(deps, accountId);
          const url = unseal(sealKeys, target.url, webhookUrlPurpose(target.key));
          const { webhookSecret: secret } = schedule;
          const key = secret === undefined ? undefined : signingKey(await deps.secrets.read(secret), secret);
          const body = reportJson(report, sender);
          await postWebhook({ ...deps, clock: service.clock }, { url, body, name, key, signal });
          return name;
        }
        case 'folder':
          return writeFiles(deps.files, target.folder, reportFiles(report, sender));
      }
    });
}

/** What identifies a message, whoever sends it and however often. */
type DeliveryIdentity = Sender & { readonly target: string; readonly period: Period };

/** 32 hexadecimal digits: the Idempotency-Key of a post and the first half of a Message-ID. */
export function deliveryName({ accountId, schedule, target, period }: DeliveryIdentity): string {
  const parts = [accountId, schedule, target, period.from, period.to];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
